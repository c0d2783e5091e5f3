import { resolve } from "node:path";
import { ConfigError } from "../../db/errors.ts";
import { bracketed, type Config, readConfig } from "./config.ts";

/**
 * How the process is run, as flags of `deno run`. It may write to DATA_DIR only and reach only what is configured.
 * Reading, the environment, system facts and native code (the model, argon2) are needed by the packages.
 * @throws {ConfigError} for a folder that the flags can't name
 */
export function launchFlags(config: Config, project: string): string[] {
  const dataDir = resolve(project, config.DATA_DIR);
  if (`${project}${dataDir}`.includes(",")) {
    throw new ConfigError("DATA_DIR: takes a path without commas, and so does the project's folder");
  }
  const hosts = [`${bracketed(config.HOST)}:${config.PORT}`, hostOf(config.GITHUB_API_URL)];
  if (config.DATABASE_URL) hosts.push(hostOf(config.DATABASE_URL, "5432"));
  else hosts.push(`unix:${dataDir}/db.sock`, `unix:${dataDir}/backup.sock`);
  if (config.STRIPE_SECRET_KEY) hosts.push(hostOf(config.STRIPE_API_URL ?? "https://api.stripe.com"));
  return [
    // Room for short-lived values, of each thread: with 32 MB garbage collection takes a tenth less of a request and 40 MB
    // more of memory, which the embedded database has no use for and no room.
    `--v8-flags=--max-semi-space-size=${config.DATABASE_URL ? 32 : 8}`,
    "--no-prompt",
    "--allow-read",
    "--allow-env",
    "--allow-sys",
    `--allow-ffi=${resolve(project, "node_modules")}`,
    `--allow-write=${dataDir}`,
    `--allow-net=${[...new Set(hosts)].join(",")}`,
  ];
}

function hostOf(url: string, port?: string): string {
  const { hostname, port: given, protocol } = new URL(url);
  return `${hostname}:${given || port || (protocol === "http:" ? "80" : "443")}`;
}

if (import.meta.main) {
  try {
    console.log(launchFlags(readConfig(), Deno.cwd()).join("\n"));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`handoff: ${error.message}`);
    Deno.exit(1);
  }
}
