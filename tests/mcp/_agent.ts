import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { refuseStrangeCode } from "../declared_codes.ts";
import type { Harness } from "../harness.ts";

/** The protocol's two eras: stateless since 2026-07-28, and with a handshake before. */
export const ERAS = ["modern", "legacy"] as const;
export type Era = (typeof ERAS)[number];

export interface ToolAnswer {
  isError: boolean;
  // deno-lint-ignore no-explicit-any
  body: any;
  /** The size in bytes of the answer as a model gets it. */
  bytes: number;
}

/** The official client, connected to the app with an API key. */
export class Agent {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** @param origin of a server that serves the app; without it, calls go to the app without a socket */
  static async connect(harness: Harness, key: string, era: Era = "modern", origin?: string): Promise<Agent> {
    const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy" as const;
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL("/mcp", origin ?? "http://handoff.test"), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
        fetch: (input, init) => origin ? fetch(input, init) : harness.fetch(new Request(input, init)),
      }),
    );
    return new Agent(client);
  }

  get client(): Client {
    return this.#client;
  }

  async call(
    name: string,
    args: Record<string, unknown> = {},
    options: Parameters<Client["callTool"]>[1] = {},
  ): Promise<ToolAnswer> {
    const answer = await this.#client.callTool({ name, arguments: args }, options);
    const [content] = answer.content as { text: string }[];
    const { text } = content!;
    const body = JSON.parse(text);
    if (answer.isError) refuseStrangeCode(name, body.code);
    return {
      isError: answer.isError === true,
      body,
      bytes: new TextEncoder().encode(text).length,
    };
  }

  /** Calls a tool that must not fail, and returns its answer. */
  async do(
    name: string,
    args: Record<string, unknown> = {},
    options: Parameters<Client["callTool"]>[1] = {},
  ) {
    const { isError, body } = await this.call(name, args, options);
    if (isError) throw new Error(`${name} failed: ${JSON.stringify(body)}`);
    return body;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
