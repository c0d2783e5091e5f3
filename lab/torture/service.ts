import { freePort, type LaunchOptions } from "../../ops/launch.ts";
import { copyTemplate, dropPlace, makeTemplate, type Place, serverUrl } from "../../tests/database.ts";
import { launchService, type ServiceProcess } from "../../tests/service_process.ts";
import { ask } from "../client.ts";

export const SECRETS = {
  cron: "torture-cron-secret",
  agent: "torture-agent-secret",
  payment: "whsec_of_the_torture",
  hosting: "torture-hosting-secret",
};
const ADMIN = { email: "admin@localhost", password: "for the torture only" };
/**
 * An access token is valid for 15 minutes, and the work for which it is taken may need some of
 * them.
 */
const SESSION_MS = 5 * 60_000;
export const REPOSITORY = "acme/torture";

export const databaseName = serverUrl ? "PostgreSQL" : "embedded";

/** The caller and its project. A client keeps both over restarts of the service. */
export interface Caller {
  url: string;
  token: string;
  /** The path of a project below /api. */
  project: string;
}

/** As in ops/launch.ts. */
type Options = Pick<LaunchOptions, "project" | "withSender">;

/**
 * The real service over a database of its own. A scenario may start and end it repeatedly on one
 * port.
 */
export class Stage {
  readonly place: Place;
  readonly #env: Record<string, string>;
  readonly #options: Options;
  readonly port: number;
  readonly #others: Stage[] = [];
  #service: ServiceProcess | undefined;
  #session: { token: string; until: number } | undefined;

  private constructor(place: Place, env: Record<string, string>, options: Options = {}) {
    this.place = place;
    this.port = freePort();
    this.#options = options;
    this.#env = {
      PORT: String(this.port),
      ADMIN_PASSWORD: ADMIN.password,
      CRON_SECRET: SECRETS.cron,
      CLOUD_AGENT_WEBHOOK_SECRET: SECRETS.agent,
      STRIPE_WEBHOOK_SECRET: SECRETS.payment,
      GITHUB_WEBHOOK_SECRET: SECRETS.hosting,
      RATE_LIMIT_REFRESH: "10000/60",
      LOG_LEVEL: "warning",
      ...env,
    };
  }

  static async open(env: Record<string, string> = {}, options: Options = {}): Promise<Stage> {
    return new Stage(await copyTemplate(await template()), env, options);
  }

  /** Plays with a service that has started. The service and its database are gone afterwards. */
  static async play<T>(
    play: (stage: Stage) => Promise<T>,
    env: Record<string, string> = {},
    options: Options = {},
  ): Promise<T> {
    const stage = await Stage.open(env, options);
    try {
      await stage.start();
      return await play(stage);
    } finally {
      await stage.close();
    }
  }

  /** Uses a place that the scenario created and removes itself. */
  static over(place: Place, env: Record<string, string> = {}): Stage {
    return new Stage(place, env);
  }

  /** A further process over the same place, which ends with this stage. */
  beside(env: Record<string, string> = {}): Stage {
    const other = new Stage(this.place, env);
    this.#others.push(other);
    return other;
  }

  get service(): ServiceProcess {
    if (!this.#service) throw new Error("the service is not running");
    return this.#service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts a process without waiting for it. */
  launch(env: Record<string, string> = {}): ServiceProcess {
    return this.#service = launchService(this.place, { ...this.#env, ...env }, this.#options);
  }

  /** @returns seconds until it was ready */
  async start(env: Record<string, string> = {}): Promise<number> {
    const started = performance.now();
    await this.launch(env).ready();
    return (performance.now() - started) / 1000;
  }

  /** Kills the process without a chance to react. Its open files are left as after a power cut. */
  async kill(): Promise<void> {
    this.service.kill("SIGKILL");
    await this.service.ended();
  }

  /** Makes a project of its own. */
  async caller(): Promise<Caller> {
    const token = await this.signIn();
    const key = `T${crypto.randomUUID().replace(/[^a-f]/g, "").toUpperCase()}X`.slice(0, 10);
    const project = await this.call<{ id: string }>(token, "POST", "/projects", {
      name: "Torture",
      key,
      slug: crypto.randomUUID(),
      repositories: [REPOSITORY],
    });
    return { url: this.url, token, project: `/projects/${project.id}` };
  }

  /**
   * Signs in. Ten sign-ins in five minutes are allowed, and a session outlives the service's
   * process.
   */
  async signIn(): Promise<string> {
    if (!this.#session || this.#session.until < performance.now()) {
      const { access_token } = await this.call<{ access_token: string }>(null, "POST", "/auth/login", ADMIN);
      this.#session = { token: access_token, until: performance.now() + SESSION_MS };
    }
    return this.#session.token;
  }

  async call<T>(token: string | null, method: string, path: string, body?: unknown): Promise<T> {
    return await ask<T>(method, `${this.url}/api${path}`, { token, body });
  }

  /** Ends the process, if there is one, and leaves the place. */
  async release(): Promise<void> {
    if (this.#service) {
      try {
        this.#service.kill("SIGKILL");
      } catch (error) {
        if (!(error instanceof TypeError)) throw error; // it has ended before
      }
      await this.#service.ended();
    }
  }

  async close(): Promise<void> {
    for (const stage of [...this.#others, this]) await stage.release();
    await dropPlace(this.place);
  }
}

let made: Promise<Place> | undefined;

/** Returns a migrated database, which is copied for each stage. */
function template(): Promise<Place> {
  return made ??= makeTemplate();
}

export async function dropTemplate(): Promise<void> {
  if (made) await dropPlace(await made);
  made = undefined;
}

export { serverUrl };
