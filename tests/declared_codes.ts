import type { ErrorCode } from "../src/core/errors.ts";
import { NEXT_STEPS } from "../src/http/mcp_answer.ts";
import { type PublishedProcedure, publishedProcedures } from "../src/http/procedures.ts";
import { codesOf } from "../src/http/responses.ts";
import { TOOLS } from "../src/mcp/tools.ts";

const procedures = publishedProcedures();
const byName = new Map(procedures.map((procedure) => [procedure.name, procedure]));

/** Procedures with their paths as expressions. Fixed segments come before parameters, as in the routes. */
const routes = procedures.map((procedure) => ({
  procedure,
  path: new RegExp(`^/api${procedure.meta.path.replace(/\{\w+\}/g, "[^/]+")}$`),
  parameters: procedure.meta.path.split("{").length,
})).sort((a, b) => a.parameters - b.parameters);

/** Codes of a request to tRPC as a whole. A tool can have them, too, because it makes several calls. */
const OF_REQUESTS: readonly ErrorCode[] = [
  "answer_too_large",
  "csrf",
  "insufficient_scope",
  "invalid_json",
  "invalid_request",
  "method_not_allowed",
  "not_found",
  "payload_too_large",
  "rate_limited",
  "request_timeout",
  "unauthenticated",
  "unavailable",
  "unsupported_media_type",
];

/** Codes of a call to a path that other methods have. */
const OF_PATHS: readonly ErrorCode[] = ["method_not_allowed"];

/** Fails if an answer over REST or tRPC has a code that its procedure doesn't declare. */
export async function refuseUndeclaredCode({ method, url }: Request, response: Response): Promise<void> {
  if (response.status < 400 && response.status !== 207) return;
  if (!response.headers.get("content-type")?.startsWith("application/json")) return;
  const { pathname } = new URL(url);
  if (pathname.startsWith("/trpc/")) {
    const answers = [await response.clone().json()].flat();
    for (const [index, name] of pathname.slice("/trpc/".length).split(",").entries()) {
      check(byName.get(name), codeOfTrpc(answers[index]), OF_REQUESTS);
    }
    return;
  }
  const route = routes.find(({ procedure, path }) => procedure.meta.method === method && path.test(pathname));
  if (route) check(route.procedure, (await response.clone().json()).code, OF_PATHS);
}

/** Fails if a tool's failure has a code that no procedure of the tool declares, or that has no next step. */
export function refuseStrangeCode(name: string, code: ErrorCode): void {
  const tool = TOOLS.find((tool) => tool.name === name);
  if (!tool) return;
  const known = [...tool.calls, ...tool.optional ?? []].flatMap((
    called,
  ) => [...codesOf(byName.get(called)!.meta)]);
  if (![...known, ...OF_REQUESTS].includes(code)) {
    throw new Error(`${name} answered ${code}: no procedure that it calls declares this code (src/routers)`);
  }
  if (!(code in NEXT_STEPS)) {
    throw new Error(`${name} answered ${code}: give it a next step (NEXT_STEPS in src/http/mcp_answer.ts)`);
  }
}

// deno-lint-ignore no-explicit-any
function codeOfTrpc(answer: any): ErrorCode | undefined {
  const error = answer?.error?.json ?? answer?.error;
  return error?.data?.body?.code;
}

function check(
  procedure: PublishedProcedure | undefined,
  code: ErrorCode | undefined,
  more: readonly ErrorCode[],
): void {
  if (!procedure || code === undefined || more.includes(code) || codesOf(procedure.meta).has(code)) return;
  throw new Error(
    `${procedure.name} answered ${code}, which it doesn't declare: name the code in its \`errors\` (src/routers/${
      procedure.name.split(".")[0]
    }.ts)`,
  );
}
