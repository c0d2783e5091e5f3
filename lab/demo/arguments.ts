import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { whyNotRead } from "../../ops/why_not.ts";
import { isHttpUrl } from "../../src/core/http_url.ts";
import type { Person } from "./stage.ts";

export interface Arguments {
  /**
   * A file of JSON lines, each the input of a ticket's creation. If absent, the demo's own tickets
   * are used.
   */
  tickets?: string;
  /** A file of JSON lines, each a pair of idempotency keys of known duplicates. */
  duplicates?: string;
  /** A service that is already running. */
  service?: { url: string; person: Person };
  clients: number;
  /** Where the demo's own service keeps its data between runs. */
  dataDir: string;
}

export const USAGE = `npm run demo -- [--tickets FILE] [--duplicates FILE] [--clients N] [--data-dir FOLDER]
             [--url BASE --email EMAIL --password PASSWORD]

Walks through the life of a ticket on a service of its own (kept in FOLDER, ./data/demo when absent), or on the one at
BASE. With --url and --tickets it only imports the tickets of FILE, into a project that is named like the file.
FILE holds one ticket creation input a line, as JSON; the duplicates' file a pair of idempotency keys a line.`;

/**
 * Returns null if only the usage is requested.
 * @throws {ArgumentError} that says what is wrong with the command line
 */
export function parseArguments(args: string[], home: string): Arguments | null {
  const values = readOptions(args);
  if (values.help) return null;
  const clients = Number(values.clients ?? "4");
  if (!Number.isInteger(clients) || clients < 1 || clients > 64) {
    throw new ArgumentError("--clients takes a number from 1 to 64");
  }
  const { url, email, password } = values;
  if (url !== undefined && (!email || !password)) {
    throw new ArgumentError("--url needs --email and --password too");
  }
  if (url !== undefined && !isHttpUrl(url)) {
    throw new ArgumentError("--url takes an address such as http://127.0.0.1:3000");
  }
  return {
    ...(values.tickets !== undefined && { tickets: resolve(home, values.tickets) }),
    ...(values.duplicates !== undefined && { duplicates: resolve(home, values.duplicates) }),
    ...(url !== undefined &&
      { service: { url: new URL(url).origin, person: { email: email!, password: password! } } }),
    clients,
    dataDir: values["data-dir"] === undefined ? resolve("data/demo") : resolve(home, values["data-dir"]),
  };
}

function readOptions(args: string[]) {
  const text = { type: "string" } as const;
  const options = {
    tickets: text,
    duplicates: text,
    url: text,
    email: text,
    password: text,
    clients: text,
    "data-dir": text,
    help: { type: "boolean", short: "h" },
  } as const;
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    throw new ArgumentError(whyNotRead(error));
  }
}

export class ArgumentError extends Error {
  override name = "ArgumentError";
}
