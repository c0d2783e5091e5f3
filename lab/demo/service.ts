import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { messageOf } from "../../db/errors.ts";
import { makeIn } from "../../db/files.ts";
import { freePort, launchService, untilAnswers } from "../../ops/launch.ts";
import type { OwnService } from "./stage.ts";

interface RunningService extends Pick<OwnService, "admin" | "secrets"> {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts a service of the demo's own as a process with the same rights as with `npm start`. It is
 * ready when this returns.
 */
export async function startService(dataDir: string, githubUrl: string): Promise<RunningService> {
  await makeIn(dataDir, () => Deno.mkdir(dataDir, { recursive: true, mode: 0o700 }));
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
  await untilAnswers(`${service.url}/readyz`, child).catch(async (error: unknown) => {
    await service.stop();
    throw new Error(`Cannot start the demo's service: ${messageOf(error)}`, { cause: error });
  });
  return service;
}

async function launch(settings: Record<string, string> & { DATA_DIR: string }) {
  const child = launchService(settings, { stdin: "null", stdout: "piped" });
  const log = await Deno.open(join(settings.DATA_DIR, "service.log"), {
    create: true,
    truncate: true,
    write: true,
    mode: 0o600,
  });
  return { child, logged: child.stdout.pipeTo(log.writable) };
}

/**
 * Returns the password of the first admin, who is created once. The password is kept for later
 * runs.
 */
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
