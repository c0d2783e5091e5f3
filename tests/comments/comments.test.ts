import { v7 as uuid } from "uuid";
import { beforeAll, describe, expect, test } from "vitest";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  makeUser,
  type TestTicket,
  type TestUser,
  useProject,
} from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);
let ann: TestUser;
let ben: TestUser;
let key: { id: string; token: string };
beforeAll(async () => {
  ann = await makeMember(harness.now, project, "member");
  ben = await makeMember(harness.now, project, "member");
  key = await makeKey(harness.now, ann);
});

type Caller = { token: string };

function call(method: string, path: string, body?: Record<string, unknown>, { token }: Caller = ann) {
  return harness.now.call(method, path, { token, body });
}

async function say(ticket: TestTicket, body: string, caller: Caller = ann, fields = {}) {
  const answer = await call("POST", `${ticket.path}/comments`, { body, ...fields }, caller);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return { ...answer.body, path: `${ticket.path}/comments/${answer.body.id}` };
}

const newTicket = () => makeTicket(harness.now, project);

describe("comments", () => {
  test("are made, answered in a thread, listed oldest first and read", async () => {
    const ticket = await newTicket();
    const made = await call("POST", `${ticket.path}/comments`, { body: "**First**" });
    expect(made.headers.get("location")).toBe(`/api${ticket.path}/comments/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.any(String),
      ticket_id: ticket.id,
      project_id: project.id,
      parent_id: null,
      body: "**First**",
      author: { id: ann.id, name: "Test User", kind: "person" },
      mentions: [],
      edited_at: null,
      resolved_at: null,
      resolved_by: null,
      deleted_at: null,
      imported: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const reply = await say(ticket, "Second", key, { parent_id: made.body.id });
    expect(reply).toMatchObject({ parent_id: made.body.id, author: { id: ann.id, kind: "agent" } });
    const deeper = await say(ticket, "Third", ben, { parent_id: reply.id });
    expect(deeper.parent_id).toBe(made.body.id);
    const { body: first } = await call("GET", `${ticket.path}/comments?limit=2`);
    expect(first.comments.map(({ body }: { body: string }) => body)).toEqual(["**First**", "Second"]);
    const { body: rest } = await call("GET", `${ticket.path}/comments?cursor=${first.next_cursor}`);
    expect(rest.comments.map(({ body }: { body: string }) => body)).toEqual(["Third"]);
    expect((await call("GET", deeper.path)).body.body).toBe("Third");
  });

  test("are made once under an idempotency key", async () => {
    const ticket = await newTicket();
    const twins = await Promise.all(
      [1, 2].map(() => call("POST", `${ticket.path}/comments`, { body: "Once", idempotency_key: "k" })),
    );
    expect(twins.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    expect(twins[0]!.body.id).toBe(twins[1]!.body.id);
    expect((await call("GET", `${ticket.path}/comments`)).body.comments).toHaveLength(1);
  });

  test("refuse an empty, a too long and an unstorable text, and keep right-to-left and zero-width text as sent", async () => {
    const ticket = await newTicket();
    for (const body of ["", "x".repeat(10_001), "a\0b", "\ud800"]) {
      expect((await call("POST", `${ticket.path}/comments`, { body })).body.fieldErrors).toHaveProperty(
        "body",
      );
    }
    const odd = "שלום \u202Egnp.exe\u202C zero\u200Bwidth \u{1F600}";
    expect((await say(ticket, odd)).body).toBe(odd);
    expect((await say(ticket, "\u{1F600}".repeat(10_000))).body).toHaveLength(20_000);
  });

  test("refuse a parent of another ticket", async () => {
    const elsewhere = await say(await newTicket(), "There");
    const { status, body } = await call("POST", `${(await newTicket()).path}/comments`, {
      body: "Here",
      parent_id: elsewhere.id,
    });
    expect([status, body.fieldErrors]).toEqual([400, { parent_id: "No such comment on this ticket" }]);
  });

  test("are edited by their author alone; history keeps the earlier text", async () => {
    const ticket = await newTicket();
    const comment = await say(ticket, "Draft", key);
    for (const other of [ann, ben, project.admin]) {
      expect((await call("PATCH", comment.path, { body: "Other" }, other)).status).toBe(403);
    }
    const edited = await call("PATCH", comment.path, { body: "Final" }, key);
    expect(edited.body).toMatchObject({ body: "Final", edited_at: expect.any(String) });
    expect((await call("PATCH", comment.path, { body: "Final" }, key)).body).toEqual(edited.body);
    const { body: { history } } = await call("GET", `${ticket.path}/history`);
    expect(history).toContainEqual(
      expect.objectContaining({ entity: "comment", field: "body", from: "Draft", to: "Final" }),
    );
  });

  test("resolve and reopen as a thread", async () => {
    const ticket = await newTicket();
    const first = await say(ticket, "Open point");
    const reply = await say(ticket, "Done", ben, { parent_id: first.id });
    expect((await call("POST", `${reply.path}/resolve`)).body.code).toBe("conflict");
    const resolved = await call("POST", `${first.path}/resolve`, {}, ben);
    expect(resolved.body).toMatchObject({ resolved_by: ben.id, resolved_at: expect.any(String) });
    expect((await call("POST", `${first.path}/resolve`)).body).toEqual(resolved.body);
    expect((await call("POST", `${first.path}/reopen`)).body).toMatchObject({
      resolved_by: null,
      resolved_at: null,
    });
  });
});

describe("a deleted comment", () => {
  const SECRET = "hunter2-c0ffee";

  test("loses its text everywhere it was kept, and keeps its place", async () => {
    const { sql } = harness.now;
    const ticket = await newTicket();
    const comment = await say(ticket, `password ${SECRET}`, ann, { idempotency_key: "pasted" });
    await call("PATCH", comment.path, { body: `it was ${SECRET}` });
    const reply = await say(ticket, "Rotate it", ben, { parent_id: comment.id });
    expect((await call("DELETE", comment.path)).status).toBe(204);
    expect((await call("DELETE", comment.path)).status).toBe(204);
    const { body } = await call("GET", `${ticket.path}/comments`);
    expect(body.comments).toMatchObject([
      { id: comment.id, body: null, deleted_at: expect.any(String) },
      { id: reply.id, parent_id: comment.id },
    ]);
    expect((await call("PATCH", comment.path, { body: "again" })).body.code).toBe("conflict");
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables
      where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`;
    for (const { name } of tables) {
      const table = sql(name === "job" ? "pgboss.job" : name);
      const found = await sql`select from ${table} t where t::text like ${`%${SECRET}%`}`.catch((error) => {
        if (error.code === "42P01") return { count: 0 }; // pg-boss' own
        throw error;
      });
      expect([name, found.count]).toEqual([name, 0]);
    }
    const again = await call("POST", `${ticket.path}/comments`, { body: "x", idempotency_key: "pasted" });
    expect(again.body).toMatchObject({ body: null, _idempotent_replay: true });
  });

  test("is deleted by its author, by the owner of its key and by admins, and by nobody else", async () => {
    const ticket = await newTicket();
    const adminKey = await makeKey(harness.now, project.admin);
    for (
      const [author, deleter, status] of [
        [key, ben, 403],
        [ben, key, 403],
        [ben, adminKey, 403],
        [ann, key, 403],
        [key, ann, 204],
        [ben, project.admin, 204],
        [key, key, 204],
      ] as const
    ) {
      const comment = await say(ticket, "Something", author);
      expect((await call("DELETE", comment.path, undefined, deleter)).status).toBe(status);
    }
  });
});

describe("a mention", () => {
  const mention = ({ id }: TestUser, name = "Ben") => `@[${name}](${id})`;

  test("names people of the project, each once, and none in quotes and code", async () => {
    const ticket = await newTicket();
    const text = `${mention(ben)} and ${mention(ben)}\n> ${mention(project.admin)}\n\`${
      mention(project.admin)
    }\``;
    expect((await say(ticket, text)).mentions).toEqual([ben.id]);
    const fenced = `\`\`\`\n${mention(ben)}\n\`\`\`\nand ${mention(project.admin)}`;
    expect((await say(ticket, fenced)).mentions).toEqual([project.admin.id]);
  });

  test.each([
    ["code between two backticks", "``@``"],
    ["code over two lines", "`a\n@ b`"],
    ["a fence of four backticks around one of three", "````\n```\n```\n@\n````"],
    ["a fence of tildes", "~~~~\n@\n~~~~"],
    ["indented code", "    @"],
    ["a fence in a list item", "- one\n  ```\n  @\n  ```"],
    ["a quote in a list item", "- > @"],
    ["a lazy line of a quote", "> a quote\n@"],
    ["an escaped mention", "\\@"],
    ["a comment", "<!-- @ -->"],
    ["a fence in a quote", "> ``` js\n> @\n> ```"],
    ["code after a tab", "\t@"],
    ["a fence with line ends of Windows", "```\r\n@\r\n```"],
    ["a fence without an end", "```\n@"],
    ["code in a table", "| a |\n|---|\n| `@` |"],
  ])("names nobody in %s", async (_, form) => {
    const body = form.replace("@", mention(ben));
    expect((await say(await newTicket(), body)).mentions).toEqual([]);
  });

  test.each([
    ["inline code at the start of the line", "```make``` fails, @ please look"],
    ["a lone backtick", "the key ` is broken, @"],
    ["HTML around it", "<details>\n@\n</details>"],
    ["a list item after a fence", "```\nmake\n```\n- @"],
    ["escaped backticks", "\\`@\\`"],
    ["indented text of a paragraph", "text\n    @"],
    ["a backtick of the next paragraph", "`unclosed @\n\nnext`"],
    ["a longer end of a fence", "```\nx\n`````\n@"],
  ])("names the person beside %s", async (_, form) => {
    const body = form.replace("@", mention(ben));
    expect((await say(await newTicket(), body)).mentions).toEqual([ben.id]);
  });

  test("is refused by name for strangers, for who left and for nobody", async () => {
    const ticket = await newTicket();
    const [stranger, left] = [await makeUser(harness.now), await makeMember(harness.now, project, "member")];
    await harness.now.call("DELETE", `${project.path}/members/${left.id}`, { token: project.admin.token });
    for (const id of [stranger.id, left.id, uuid()]) {
      const { status, body } = await call("POST", `${ticket.path}/comments`, { body: `@[Zoë](${id}) look` });
      expect([status, body.fieldErrors.body]).toEqual([400, `Zoë (${id}) can't see this project`]);
    }
    const other = await makeProject(harness.now);
    const foreign = await makeMember(harness.now, other, "admin");
    expect((await call("POST", `${ticket.path}/comments`, { body: mention(foreign) })).status).toBe(400);
    const comment = await say(ticket, "Nobody yet");
    expect((await call("PATCH", comment.path, { body: mention(foreign) })).status).toBe(400);
    expect((await call("GET", comment.path)).body).toMatchObject({ body: "Nobody yet", mentions: [] });
  });
});

test("agents alone comment 20 times in a row, then a person has to come in between", async () => {
  const ticket = await newTicket();
  const bot = await makeMember(harness.now, project, "member", "bot");
  for (let turn = 0; turn < 20; turn++) await say(ticket, `Turn ${turn}`, turn % 2 ? bot : key);
  const both = await Promise.all(
    [key, bot].map((one) => call("POST", `${ticket.path}/comments`, { body: "x" }, one)),
  );
  for (const { status, body } of both) {
    expect([status, body.code, body.error]).toEqual([
      429,
      "conversation_loop",
      expect.stringContaining("Ask a question"),
    ]);
  }
  await say(ticket, "Go on", ben);
  await say(ticket, "Thanks", bot);
});

test("twenty agents at the same moment don't pass the limit together", async () => {
  const ticket = await newTicket();
  for (let turn = 0; turn < 15; turn++) await say(ticket, `Turn ${turn}`, key);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => call("POST", `${ticket.path}/comments`, { body: "x" }, key)),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
});
