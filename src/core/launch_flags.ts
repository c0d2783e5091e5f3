import { resolve } from "node:path";
import { addressesOf } from "../../db/address.ts";
import { ConfigError } from "../../db/errors.ts";
import { newSenderSocket } from "../sending/sockets.ts";
import { bracketed, type Config, readConfig, smtpPort } from "./config.ts";

/**
 * Returns the flags of `deno run` for the service's process. The process may write only to DATA_DIR
 * and connect only to the configured hosts. The packages need the rights to read files, the
 * environment and system facts, and to load native code (the model, argon2).
 * @param socket of the process's sender
 * @throws {ConfigError} for a folder that the flags can't name
 */
export function launchFlags(config: Config, project: string, socket?: string): string[] {
  const dataDir = resolve(project, config.DATA_DIR);
  if (`${project}${dataDir}`.includes(",")) {
    throw new ConfigError(
      "DATA_DIR: takes a path without commas; the path of the project's folder must have none, either",
    );
  }
  const hosts = [`${bracketed(config.HOST)}:${config.PORT}`, hostOf(config.GITHUB_API_URL)];
  if (config.DATABASE_URL) {
    hosts.push(...addressesOf(config.DATABASE_URL).map((address) => hostOf(address, "5432")));
  } else hosts.push(`unix:${dataDir}/db.sock`, `unix:${dataDir}/backup.sock`);
  if (socket !== undefined && config.JOBS !== "off") hosts.push(`unix:${socket}`);
  if (config.STRIPE_SECRET_KEY) hosts.push(hostOf(config.STRIPE_API_URL ?? "https://api.stripe.com"));
  if (config.SMTP_URL) {
    hosts.push(hostOf(config.SMTP_URL, String(smtpPort(new URL(config.SMTP_URL).protocol))));
  }
  return [
    // The heap of each thread for short-lived values. With 32 MB, garbage collection takes a tenth
    // less of a request's time, and the process takes 40 MB more memory. With the embedded database
    // the flag brings nothing and that memory is needed.
    `--v8-flags=--max-semi-space-size=${config.DATABASE_URL ? 32 : 8}`,
    "--no-prompt",
    // Without this flag, Deno would fetch modules from seven public hosts despite the permissions.
    "--no-remote",
    "--allow-read",
    "--allow-env",
    "--allow-sys",
    `--allow-ffi=${resolve(project, "node_modules")}`,
    `--allow-write=${dataDir}`,
    `--allow-net=${[...new Set(hosts)].join(",")}`,
  ];
}

/**
 * Returns the flags for the process that sends webhooks, which may connect to the internet and do
 * nothing else. With JOBS=off there is no such process.
 */
export function senderFlags(config: Config, socket: string): string[] {
  if (config.JOBS === "off") return [];
  return [
    "--v8-flags=--max-old-space-size=128",
    "--no-prompt",
    "--no-remote",
    "--allow-net",
    `--allow-read=${socket}`,
    `--allow-write=${socket}`,
    "src/sending/main.ts",
    socket,
    config.WEBHOOK_ALLOWED_HOSTS.join(","),
  ];
}

function hostOf(url: string, port?: string): string {
  const { hostname, port: given, protocol } = new URL(url);
  return `${hostname}:${given || port || (protocol === "http:" ? "80" : "443")}`;
}

if (import.meta.main) {
  try {
    const config = readConfig();
    const socket = newSenderSocket(resolve(config.DATA_DIR));
    const flags = launchFlags(config, Deno.cwd(), socket);
    console.log([...flags, "", socket, ...senderFlags(config, socket)].join("\n"));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`handoff: ${error.message}`);
    Deno.exit(1);
  }
}
