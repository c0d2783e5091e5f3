/** The state of the mock, which a test may read and change. */
export interface Repository {
  full_name: string;
  /** Whether the tokens may manage hooks here. Other tokens get a 404, as at GitHub. */
  admin: boolean;
  hooks: Hook[];
  issues: Issue[];
  /** The repository's new name, if it was renamed. */
  movedTo?: string;
}

export interface Hook {
  id: number;
  active: boolean;
  events: string[];
  config: { url: string; content_type: string; insecure_ssl: string; secret?: string };
  created_at: string;
  updated_at: string;
}

export interface Issue {
  number: number;
  title: string;
  body: string | null;
  /** Login of the token's owner. */
  creator: string;
  state: "open" | "closed";
  updated_at: string;
  /** Every pull request is listed as an issue too. */
  isPullRequest?: boolean;
}

export interface Identity {
  login: string;
  id: number;
  /** Scopes of a classic token; null for a fine-grained one, for which GitHub names none. */
  scopes: string[] | null;
}

export class GitHubState {
  readonly tokens = new Map<string, Identity>();
  readonly #repositories = new Map<string, Repository>();
  /**
   * Whether a second hook with the same config is refused, as at GitHub. Without this rule, only
   * the caller can prevent two such hooks.
   */
  refusesDuplicates = true;
  /** How far GitHub's clock is ahead of ours, in milliseconds. */
  clockAhead = 0;
  #nextId = 100;

  /** GitHub's times have whole seconds. */
  timestamp(): string {
    return new Date(Date.now() + this.clockAhead).toISOString().replace(/\.\d{3}Z$/, "Z");
  }

  nextId(): number {
    return this.#nextId++;
  }

  addToken(token: string, identity: Partial<Identity> = {}): void {
    this.tokens.set(token, { login: "octocat", id: 1, scopes: ["repo"], ...identity });
  }

  addRepository(fullName: string, fields: Partial<Repository> = {}): Repository {
    const repository = { full_name: fullName, admin: true, hooks: [], issues: [], ...fields };
    this.#repositories.set(fullName.toLowerCase(), repository);
    return repository;
  }

  repository(fullName: string): Repository | undefined {
    return this.#repositories.get(fullName.toLowerCase());
  }

  /** Every hook of every repository. */
  get hooks(): Hook[] {
    return [...this.#repositories.values()].flatMap(({ hooks }) => hooks);
  }
}
