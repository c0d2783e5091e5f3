import type { Description } from "./description.ts";
import { invalid, problem } from "./failures.ts";
import type { GitHubState, Hook, Identity, Issue, Repository } from "./state.ts";

/** One call that has passed the description's checks. */
interface Request {
  state: GitHubState;
  description: Description;
  identity: Identity;
  params: Record<string, string>;
  query: Record<string, string>;
  body: Record<string, unknown>;
  /** The mock's own address. */
  url: string;
}

type Operation = (request: Request) => Response;

/** The effect and answer of each operation, by its id in the description. */
export const operations: Record<string, Operation> = {
  "users/get-authenticated": getUser,
  "repos/list-webhooks": withAdmin(listHooks),
  "repos/create-webhook": withAdmin(createHook),
  "repos/update-webhook": withAdmin((request, repository) =>
    withHook(request, repository, (hook) => updateHook(request, repository, hook))
  ),
  "repos/delete-webhook": withAdmin((request, repository) =>
    withHook(request, repository, (hook) => {
      repository.hooks.splice(repository.hooks.indexOf(hook), 1);
      return new Response(null, { status: 204 });
    })
  ),
  "issues/create": withRepository(createIssue),
  "issues/list-for-repo": withRepository(listIssues),
};

export function repoOf(params: Record<string, string>): string | undefined {
  return params.owner && params.repo ? `${params.owner}/${params.repo}` : undefined;
}

function getUser({ description, identity }: Request): Response {
  const { login, id, scopes } = identity;
  const user = { ...description.example("private-user-response-with-public-profile-information"), login, id };
  return Response.json(user, { headers: scopes ? { "x-oauth-scopes": scopes.join(", ") } : {} });
}

type RepositoryOperation = (request: Request, repository: Repository) => Response;

function withRepository(work: RepositoryOperation): Operation {
  return (request) => {
    const repository = request.state.repository(repoOf(request.params)!);
    return repository ? work(request, repository) : problem(404, "Not Found");
  };
}

function withAdmin(work: RepositoryOperation): Operation {
  return withRepository((request, repository) =>
    repository.admin ? work(request, repository) : problem(404, "Not Found")
  );
}

function withHook({ params }: Request, repository: Repository, work: (hook: Hook) => Response): Response {
  const hook = repository.hooks.find(({ id }) => String(id) === params.hook_id);
  return hook ? work(hook) : problem(404, "Not Found");
}

function listHooks(request: Request, repository: Repository): Response {
  const size = Number(request.query.per_page ?? 30);
  const start = (Number(request.query.page ?? 1) - 1) * size;
  return Response.json(
    repository.hooks.slice(start, start + size).map((hook) => hookBody(request, repository, hook)),
  );
}

function createHook(request: Request, repository: Repository): Response {
  const { state } = request;
  const { config, events = ["push"], active = true } = request.body as Partial<Hook>;
  if (!config?.url) return invalid("Hook", "config must contain URL for webhooks");
  const now = state.timestamp();
  const hook: Hook = {
    id: state.nextId(),
    active,
    events,
    config: {
      ...config,
      content_type: config.content_type ?? "form",
      insecure_ssl: String(config.insecure_ssl ?? "0"),
    },
    created_at: now,
    updated_at: now,
  };
  if (state.refusesDuplicates && repository.hooks.some((other) => collides(hook, other))) {
    return invalid("Hook", "Hook already exists on this repository");
  }
  repository.hooks.push(hook);
  return hookAnswer(request, repository, hook, 201);
}

function collides(one: Hook, other: Hook): boolean {
  return one.config.url === other.config.url && one.config.content_type === other.config.content_type &&
    one.events.some((event) => other.events.includes(event));
}

function updateHook(request: Request, repository: Repository, hook: Hook): Response {
  const { config, events, active } = request.body as Partial<Hook>;
  // A new config replaces the whole former config, including its secret.
  if (config) hook.config = { ...config, insecure_ssl: String(config.insecure_ssl ?? "0") };
  if (events) hook.events = events;
  if (active !== undefined) hook.active = active;
  hook.updated_at = request.state.timestamp();
  return hookAnswer(request, repository, hook);
}

function hookAnswer(request: Request, repository: Repository, hook: Hook, status = 200): Response {
  return Response.json(hookBody(request, repository, hook), { status });
}

function hookBody({ description, url }: Request, { full_name }: Repository, hook: Hook) {
  const self = `${url}/repos/${full_name}/hooks/${hook.id}`;
  const { secret, ...config } = hook.config;
  return {
    ...description.example("hook"),
    ...hook,
    config: { ...config, ...(secret !== undefined && { secret: "********" }) },
    url: self,
    test_url: `${self}/test`,
    ping_url: `${self}/pings`,
    deliveries_url: `${self}/deliveries`,
  };
}

function createIssue(request: Request, repository: Repository): Response {
  const { title, body } = request.body as { title: string; body?: string };
  const number = Math.max(0, ...repository.issues.map((issue) => issue.number)) + 1;
  const issue: Issue = {
    number,
    title,
    body: body ?? null,
    creator: request.identity.login,
    state: "open",
    updated_at: request.state.timestamp(),
  };
  repository.issues.push(issue);
  return Response.json(issueBody(request, repository, issue), { status: 201 });
}

function listIssues(request: Request, repository: Repository): Response {
  const { creator, state = "open", since, per_page = 30 } = request.query;
  const found = repository.issues.filter((issue) =>
    (!creator || issue.creator === creator) && (state === "all" || issue.state === state) &&
    (!since || Date.parse(issue.updated_at) >= Date.parse(since))
  ).toReversed();
  return Response.json(
    found.slice(0, Number(per_page)).map((issue) => issueBody(request, repository, issue)),
  );
}

function issueBody({ description, url }: Request, { full_name }: Repository, issue: Issue) {
  const { creator, isPullRequest, ...fields } = issue;
  // The description's own example is a pull request.
  const { pull_request, ...example } = description.example("issue");
  return {
    ...example,
    ...fields,
    user: { ...example.user as Record<string, unknown>, login: creator },
    url: `${url}/repos/${full_name}/issues/${issue.number}`,
    repository_url: `${url}/repos/${full_name}`,
    // The API and the pages are on one host, as in a self-hosted installation.
    html_url: `${url}/${full_name}/${isPullRequest ? "pull" : "issues"}/${issue.number}`,
    ...(isPullRequest && { pull_request }),
  };
}
