import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseConfig } from "../src/core/config.ts";
import { launchFlags } from "../src/core/permissions.ts";
import type { OwnService } from "./stage.ts";

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const READY_WITHIN_MS = 120_000;

export interface RunningService extends Pick<OwnService, "admin" | "secrets"> {
  url: string;
  stop(): Promise<void>;
}

/** Starts a service of the demo's own, as a process with no more rights than `npm start` gives; ready when it returns. */
export async function startService(dataDir: string, githubUrl: string): Promise<RunningService> {
  await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
  const admin = { email: "admin@localhost", password: await adminPassword(dataDir) };
  const secrets = { cron: newSecret(), cloudAgent: newSecret(), github: newSecret() };
  const port = freePort();
  const { child, logged } = await launch({
    PORT: String(port),
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: admin.password,
    LOG_LEVEL: "warning",
    CRON_SECRET: secrets.cron,
    CLOUD_AGENT_WEBHOOK_SECRET: secrets.cloudAgent,
    GITHUB_WEBHOOK_SECRET: secrets.github,
    GITHUB_API_URL: githubUrl,
  });
  let ended = false;
  child.status.then(() => ended = true);
  const service = {
    url: `http://127.0.0.1:${port}`,
    admin,
    secrets,
    async stop() {
      if (!ended) child.kill("SIGTERM");
      await Promise.all([child.status, logged]);
    },
  };
  await ready(service.url, () => ended).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  return service;
}

async function launch(settings: Record<string, string> & { DATA_DIR: string }) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...launchFlags(parseConfig(settings), PROJECT), "src/main.ts"],
    cwd: PROJECT,
    clearEnv: true,
    env: { ...kept("HOME", "PATH", "DENO_DIR", "TMPDIR"), ...settings },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const log = await Deno.open(join(settings.DATA_DIR, "service.log"), {
    create: true,
    truncate: true,
    write: true,
    mode: 0o600,
  });
  return { child, logged: child.stdout.pipeTo(log.writable) };
}

/** The first admin is made once, with the password that is kept for the runs to come. */
async function adminPassword(dataDir: string): Promise<string> {
  const path = join(dataDir, "admin_password");
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    const password = newSecret();
    await Deno.writeTextFile(path, password, { mode: 0o600 });
    return password;
  }
}

function newSecret(): string {
  return randomBytes(24).toString("base64url");
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  return port;
}

function kept(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

async function ready(url: string, hasEnded: () => boolean): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  while (!await isReady(url)) {
    if (hasEnded()) throw new Error("Cannot start the demo's service: it ended, for the reason above");
    if (Date.now() > until) {
      throw new Error(`Cannot start the demo's service: not ready within ${READY_WITHIN_MS / 1000} s`);
    }
    await new Promise((done) => setTimeout(done, 200));
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch (error) {
    // Nobody listens yet, or not with an answer.
    if (error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError")) {
      return false;
    }
    throw error;
  }
}
