import { createClient } from "@hey-api/openapi-ts";
import openapiTS, { astToString } from "openapi-typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useHarness } from "../harness.ts";
import { runDeno } from "../run_deno.ts";

// These tests run other people's generators on the document. `.ci/go_client` does the same for Go.
// The generator for Python is tried manually.
const harness = useHarness();
let folder: string;
beforeAll(async () => {
  folder = await Deno.makeTempDir({ prefix: "handoff-clients-" });
  const document = await harness.now.request("GET", "/api/openapi.json");
  await Deno.writeTextFile(`${folder}/openapi.json`, await document.text());
});
afterAll(() => Deno.remove(folder, { recursive: true }));

test("a lint finds neither an error nor a warning in the document", async () => {
  const cli = "node_modules/@redocly/cli/bin/cli.js";
  const { code, stdout } = await runDeno([
    "run",
    "-A",
    cli,
    "lint",
    `${folder}/openapi.json`,
    "--format=json",
  ], {
    env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });
  const { totals, problems } = JSON.parse(stdout.slice(stdout.indexOf("{")));
  expect({ code, totals, problems }).toEqual({
    code: 0,
    totals: { errors: 0, warnings: 0, ignored: 0 },
    problems: [],
  });
});

const DRAFT =
  `{ title: "Upload fails", description: "It stops at 2 GB.", request_type: "bug", priority: "high", blocking: true }`;

test("openapi-typescript writes types by which a call compiles, and a wrong one doesn't", async () => {
  const types = await openapiTS(new URL(`file://${folder}/openapi.json`));
  await Deno.writeTextFile(`${folder}/types.ts`, astToString(types));
  const call = (draft: string) => `
    import type { paths } from "./types.ts";
    type Create = paths["/projects/{id}/tickets"]["post"];
    export const body: Create["requestBody"]["content"]["application/json"] = ${draft};
    export const ref = (made: Create["responses"][201]["content"]["application/json"]): string => made.ticket.ticket_ref;
    type Change = paths["/projects/{id}/tickets/{ticketId}"]["patch"];
    export const change: Change["requestBody"]["content"]["application/json"] = { stage: "live" };`;
  expect(await faultsOf(call(DRAFT))).toBe("");
  expect(await faultsOf(call(DRAFT.replace(`"bug"`, `"bugs"`)))).toContain(`Type '"bugs"' is not assignable`);
});

test("hey-api writes a client by which calls compile, and a wrong one doesn't", async () => {
  await createClient({
    input: `${folder}/openapi.json`,
    output: `${folder}/client`,
    logs: { level: "silent" },
  });
  const call = (draft: string) => `
    import { ticketsBulk, ticketsCreate } from "./client/index.ts";
    const { data } = await ticketsCreate({ path: { id: "7" }, body: ${draft} });
    export const ref: string | undefined = data?.ticket.ticket_ref;
    await ticketsBulk({ path: { id: "7" }, body: { action: "close", ticket_ids: [] } });`;
  expect(await faultsOf(call(DRAFT))).toBe("");
  expect(await faultsOf(call(DRAFT.replace(`"bug"`, `"bugs"`)))).toContain(`Type '"bugs"' is not assignable`);
});

/** Returns the compiler's errors for a program that uses the generated client. */
async function faultsOf(program: string): Promise<string> {
  await Deno.writeTextFile(`${folder}/program.ts`, program);
  const { code, stderr } = await runDeno(
    ["check", "--quiet", "--no-config", "--unstable-sloppy-imports", `${folder}/program.ts`],
    { env: { NO_COLOR: "1" } },
  );
  return code === 0 ? "" : stderr;
}
