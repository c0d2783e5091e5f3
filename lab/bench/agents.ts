import { ask } from "../client.ts";
import { times } from "../numbers.ts";
import type { Server, Tenant } from "./service.ts";

/** The header fields of an agent, with its API key. */
export interface Agent {
  headers: Record<string, string>;
}

/** Makes API keys of the tenant's user, one for each agent. */
export async function makeAgents(service: Server, tenant: Tenant, count: number): Promise<Agent[]> {
  const headers = await tenant.headers(service);
  return await Promise.all(times(count, async (n) => {
    const call = { headers, body: { name: `Agent ${n}` } };
    const { key } = await ask<{ key: string }>("POST", `${service.origin}/api/keys`, call);
    return { headers: { authorization: `Bearer ${key}` } };
  }));
}

/** A call of a tool, in the revision of 2026-07-28. */
export function toolCall({ headers }: Agent, name: string, args: Record<string, unknown>) {
  const body = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name,
      arguments: args,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  };
  return {
    method: "POST",
    path: "/mcp",
    headers: {
      ...headers,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify(body),
  };
}
