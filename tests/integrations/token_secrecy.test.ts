import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { makeTicket } from "../factories.ts";
import { cookie, SECRET, useHosting } from "./hosting.ts";

// Every line that the service logs, at its most talkative.
const written: string[] = [];
beforeAll(() => {
  const decoder = new TextDecoder();
  vi.spyOn(Deno.stdout, "writeSync").mockImplementation((bytes) => {
    written.push(decoder.decode(bytes));
    return bytes.length;
  });
});
afterAll(() => void vi.restoreAllMocks());

const hosting = useHosting({ LOG_LEVEL: "debug" });

test("a token is found nowhere: not in the database, not in the logs, not in any answer", async () => {
  const { harness, github } = hosting.now;
  const answers: unknown[] = [];
  const project = await hosting.now.project(3);
  const token = await hosting.now.link(project.admin);
  const ticket = await makeTicket(harness, project);
  const call = async (...args: Parameters<typeof harness.call>) => {
    const { status, body, headers } = await harness.call(...args);
    answers.push(status, body, Object.fromEntries(headers));
  };
  const own = { token: project.admin.token };
  const headers = cookie(project.admin);
  await call("GET", "/integrations/github", own);
  await call("PUT", "/integrations/github", { ...own, body: { token: [token] } });
  await call("POST", `${ticket.path}/github-issue`, {
    ...own,
    body: { repo_full_name: project.repositories[0] },
  });
  for (
    const kind of [
      "server_error",
      "garbage",
      "lost_answer",
      "validation_failed",
      "foreign_redirect",
    ] as const
  ) {
    github.failures.add({ kind, times: 9 });
    await call("POST", "/integrations/webhooks", { headers, body: {} });
    await call("POST", `${ticket.path}/github-issue`, {
      ...own,
      body: { repo_full_name: project.repositories[0] },
    });
    github.failures.clear();
  }
  github.state.tokens.delete(token);
  await call("POST", "/integrations/webhooks", { headers, body: {} });
  await call("PUT", "/integrations/github", { ...own, body: { token } });
  expect(written.join("")).toContain("/integrations/webhooks");
  const haystacks = { logs: written.join(""), answers: JSON.stringify(answers), dump: await dump() };
  expect(haystacks.dump).toContain(project.admin.id);
  for (const [name, text] of Object.entries(haystacks)) {
    expect(text.includes(token) || text.includes(SECRET), name).toBe(false);
  }
});

/** Every row of every table as text, bytes read as characters. */
async function dump(): Promise<string> {
  const { sql } = hosting.now.harness;
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  expect(tables.length).toBeGreaterThan(30);
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.unsafe(`select t::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => row));
  }
  const bodies = await sql`select convert_from(body, 'UTF8') as body from inbound_deliveries`;
  return [...texts, ...bodies.map(({ body }) => body)].join("\n");
}
