import { freePort, inherited, launchService, untilAnswers } from "../../ops/launch.ts";
import type { Sql } from "../../db/open.ts";
import { copyTemplate, dropPlace, emptyPlace, type Place } from "../../tests/database.ts";
import { ask } from "../client.ts";
import { withDatabase } from "../database.ts";
import type { LoadPlan, LoadResult } from "./load.ts";
import { readUsage, type Usage } from "../usage.ts";

const PROJECT_DIR = new URL("../../", import.meta.url).pathname;
/** The first admin of each service that a bench starts. */
export const ADMIN = { email: "admin@localhost", password: "for the bench only" };

/** A child process that serves HTTP over a database of its own. */
export interface Server {
  origin: string;
  /** Milliseconds from the start of the process until it was ready. */
  startMs: number;
  usage(): Promise<Usage | null>;
  stop(): Promise<void>;
}

/**
 * Starts the real service, as `npm start` does, from the files in `project`; its log goes nowhere.
 */
export function startService(
  place: Place,
  env: Record<string, string> = {},
  project: string = PROJECT_DIR,
): Promise<Server> {
  const started = performance.now();
  const port = freePort();
  const settings = {
    PORT: String(port),
    DATA_DIR: place.dataDir,
    ADMIN_PASSWORD: ADMIN.password,
    EMBEDDING_THREADS: "0",
    ...(place.url && { DATABASE_URL: place.url }),
    ...env,
  };
  const profile = Deno.env.get("BENCH_PROFILE");
  const flags = profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : [];
  const child = launchService(settings, { project, flags, stdout: "null" });
  return serverOf({ child, port, place, started, ready: "/readyz" });
}

/**
 * Starts the server with which the service is compared (bare.ts). Its links point to the service,
 * so that the answers can be equal.
 */
function startBare(place: Place, linksTo: string): Promise<Server> {
  const started = performance.now();
  const port = freePort();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "lab/bench/bare.ts"],
    cwd: PROJECT_DIR,
    clearEnv: true,
    env: {
      ...inherited(),
      PORT: String(port),
      DATA_DIR: place.dataDir,
      LINKS_TO: linksTo,
      ...(place.url && { DATABASE_URL: place.url }),
    },
    stdout: "null",
  }).spawn();
  return serverOf({ child, port, place, started, ready: "/ready" });
}

interface Started {
  child: Deno.ChildProcess;
  port: number;
  place: Place;
  /** The value of `performance.now()` before the process began. */
  started: number;
  ready: string;
}

async function serverOf({ child, port, place, started, ready }: Started): Promise<Server> {
  const origin = `http://127.0.0.1:${port}`;
  await untilAnswers(origin + ready, child);
  let ended = false;
  child.status.then(() => ended = true);
  return {
    origin,
    startMs: performance.now() - started,
    async usage() {
      return await readUsage(child.pid, await backendsOf(place));
    },
    async stop() {
      if (!ended) child.kill("SIGTERM");
      await child.status;
    },
  };
}

async function backendsOf(place: Place): Promise<number[]> {
  if (!place.url) return [];
  return await withDatabase(place, async (sql) => {
    const rows = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
    return rows.map(({ pid }) => pid);
  });
}

/** Databases of a bench's own and the servers over them. */
export class Bed {
  readonly place: Place;
  readonly #places: Place[];
  readonly #servers: Server[] = [];

  private constructor(place: Place) {
    this.place = place;
    this.#places = [place];
  }

  /** Runs `work` with a new database. The servers and the databases are gone afterwards. */
  static async with<T>(work: (bed: Bed) => Promise<T>): Promise<T> {
    const bed = new Bed(await emptyPlace("bench"));
    try {
      return await work(bed);
    } finally {
      for (const server of bed.#servers) await server.stop();
      for (const place of bed.#places.reverse()) await dropPlace(place);
    }
  }

  async start(env: Record<string, string> = {}, place = this.place, project?: string): Promise<Server> {
    return this.#keep(await startService(place, env, project));
  }

  async startBare(place: Place, linksTo: string): Promise<Server> {
    return this.#keep(await startBare(place, linksTo));
  }

  /** Makes a project, stops the service, and fills the project by statements. */
  async fill(
    work: (sql: Sql, tenant: Tenant) => Promise<void>,
    repositories: string[] = [],
    project?: string,
  ): Promise<Tenant> {
    const seeding = await this.start({}, this.place, project);
    const tenant = await makeTenant(seeding, repositories);
    await seeding.stop();
    await withDatabase(this.place, (sql) => work(sql, tenant));
    return tenant;
  }

  /** Copies the database, which no server may use at the moment. */
  async copy(): Promise<Place> {
    const copy = await copyTemplate(this.place);
    this.#places.push(copy);
    return copy;
  }

  #keep(server: Server): Server {
    this.#servers.push(server);
    return server;
  }
}

/** Runs a load in a process of its own. */
export function runLoad(plan: LoadPlan): Promise<LoadResult> {
  return runScript("load.ts", plan);
}

/** @throws {Error} if there was any answer but a success */
export function refuseFailures(what: string, { statuses }: LoadResult): void {
  const failed = Object.keys(statuses).filter((status) => !/^2\d\d$/.test(status));
  if (failed.length > 0) {
    throw new Error(`${what}: not every answer was a success: ${JSON.stringify(statuses)}`);
  }
}

/**
 * Runs a file of this folder as a process, with `plan` on its stdin, and returns the JSON of its
 * stdout.
 */
export async function runScript<Plan, Result>(file: string, plan: Plan): Promise<Result> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL(`./${file}`, import.meta.url).pathname],
    cwd: PROJECT_DIR,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(plan)));
  await writer.close();
  const { success, stdout } = await child.output();
  if (!success) throw new Error(`${file} failed`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Returns a figure of `/metrics`, named with its labels. */
export async function metric({ origin }: Server, name: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

/** A new sign-in is made after this time, because access tokens are valid for 15 minutes. */
const SIGN_IN_AFTER_MS = 8 * 60_000;

/**
 * A project and a signed-in admin who works in it. A key is not used, because its calls per minute
 * are limited.
 */
export interface Tenant {
  projectId: string;
  /** The project's path, below `/api` in the service. */
  path: string;
  headers(server: Server): Promise<Record<string, string>>;
}

/** Signs in as the first admin and creates a project. */
export async function makeTenant(server: Server, repositories: string[] = []): Promise<Tenant> {
  const headers = adminHeaders();
  const { id } = await ask<{ id: string }>("POST", `${server.origin}/api/projects`, {
    headers: await headers(server),
    body: { name: "Bench", key: "BENCH", repositories },
  });
  return { projectId: id, path: `/projects/${id}`, headers };
}

/** Returns the headers of the first admin, for one server. */
export function adminHeaders(): Tenant["headers"] {
  let signedIn: { headers: Record<string, string>; at: number } | undefined;
  return async (server) => {
    if (signedIn && performance.now() - signedIn.at < SIGN_IN_AFTER_MS) return signedIn.headers;
    const url = `${server.origin}/api/auth/login`;
    const { access_token } = await ask<{ access_token: string }>("POST", url, { body: ADMIN });
    signedIn = { headers: { authorization: `Bearer ${access_token}` }, at: performance.now() };
    return signedIn.headers;
  };
}
