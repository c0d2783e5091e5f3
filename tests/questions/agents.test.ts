import { describe, expect, test } from "vitest";
import { makeKey, makeMember, makeUser } from "../factories.ts";
import { openHarness, useHarness } from "../harness.ts";
import { makeProject } from "../factories.ts";
import { DECISION, useTalk } from "../talk.ts";

const harness = useHarness();
const talk = useTalk(harness);

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const adminsKey = () => makeKey(harness.now, talk.project.admin);

describe("a question for people only", () => {
  test.each(["ann", "annsKey"] as const)(
    "of %s isn't ended by the agent of an admin",
    async (asker) => {
      const question = await talk.ask(await talk.newTicket(), {}, talk[asker]);
      const key = await adminsKey();
      for (const [act, body] of [["supersede", { prompt: "The same?" }], ["withdraw", undefined]] as const) {
        const refused = await talk.call("POST", `${question.path}/${act}`, body, key);
        expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
      }
      expect((await talk.done("GET", question.path)).status).toBe("pending");
      await talk.done("POST", `${question.path}/withdraw`, {}, talk.project.admin);
    },
  );

  test.each(["annsKey", "ann"] as const)("is not replaced with one for agents by %s", async (caller) => {
    const question = await talk.ask(await talk.newTicket());
    const weaker = { prompt: "May an agent?", resolver: "not_creator" };
    const refused = await talk.call("POST", `${question.path}/supersede`, weaker, talk[caller]);
    expect([refused.status, Object.keys(refused.body.fieldErrors)]).toEqual([400, ["resolver"]]);
    await talk.done("POST", `${question.path}/supersede`, { prompt: "For people?" }, talk[caller]);
  });

  test("an admin's agent ends what its own user asked", async () => {
    const question = await talk.ask(await talk.newTicket(), {}, talk.project.admin);
    await talk.done("POST", `${question.path}/withdraw`, {}, await adminsKey());
  });

  test.each([["a second ago", -1 / 60], ["in two seconds", 2 / 60], ["in 58 minutes", 58]])(
    "has no default of an agent that is due %s",
    async (_, minutes) => {
      const { path } = await talk.newTicket();
      const asked = { prompt: "Deploy?", ...DECISION, default_option: "2gb", due_at: inMinutes(minutes) };
      for (const caller of [talk.annsKey, talk.bot]) {
        const refused = await talk.call("POST", `${path}/questions`, asked, caller);
        expect([refused.status, Object.keys(refused.body.fieldErrors)]).toEqual([400, ["due_at"]]);
      }
      const old = await talk.ask({ ...await talk.newTicket() }, DECISION);
      const replaced = await talk.call("POST", `${old.path}/supersede`, asked, talk.annsKey);
      expect(replaced.status).toBe(400);
    },
  );

  test("has a default of an agent after an hour, and of a person at any time", async () => {
    const { path } = await talk.newTicket();
    const asked = { prompt: "Deploy?", ...DECISION, default_option: "2gb" };
    await talk.done("POST", `${path}/questions`, { ...asked, due_at: inMinutes(61) }, talk.annsKey);
    await talk.done("POST", `${path}/questions`, { ...asked, due_at: inMinutes(5) }, talk.ann);
    const forAgents = { ...asked, due_at: inMinutes(5), resolver: "not_creator" };
    await talk.done("POST", `${path}/questions`, forAgents, talk.annsKey);
  });
});

describe("a user of kind bot is one agent", () => {
  test("that answers its own question by none of its credentials, and ends it by each", async () => {
    const keys = [await makeKey(harness.now, talk.bot), await makeKey(harness.now, talk.bot)];
    const credentials = [talk.bot, ...keys];
    for (const asker of credentials) {
      const question = await talk.ask(await talk.newTicket(), { resolver: "not_creator" }, asker);
      for (const caller of credentials) {
        const refused = await talk.call("POST", `${question.path}/answer`, { text: "Yes" }, caller);
        expect([refused.status, refused.body.error]).toEqual([
          403,
          "You may not answer this question: no credential may answer its own question",
        ]);
        const { body } = await harness.now.call("GET", "/waiting?kind=question", { token: caller.token });
        expect(body.waiting.map(({ id }: { id: string }) => id)).not.toContain(question.id);
        const asked = await harness.now.call("GET", "/questions", { token: caller.token });
        expect(asked.body.questions[0].id).toBe(question.id);
      }
      await talk.done("POST", `${question.path}/withdraw`, {}, keys[0]);
    }
  });

  test("and people's agents stay apart from them and from one another", async () => {
    const question = await talk.ask(await talk.newTicket(), { resolver: "not_creator" });
    const other = await makeKey(harness.now, talk.ann);
    await talk.done("POST", `${question.path}/answer`, { text: "Yes" }, other);
  });
});

describe("an import", () => {
  test("marks comments, questions and answers, and names only users with a role in the project", async () => {
    const { ann, ben, project } = talk;
    const ticket = await talk.newTicket();
    const comment = await talk.done("POST", `${ticket.path}/comments`, { body: "I approve the deploy" });
    expect(comment.imported).toBe(false);
    const asked = await talk.ask(ticket, DECISION, ann);
    const answered = await talk.done("POST", `${asked.path}/answer`, { option_ids: ["2gb"] }, ben);
    expect([answered.imported, answered.answer.imported]).toEqual([false, false]);
    const open = await talk.ask(ticket, {}, ann);
    const { records } = await talk.done("GET", `${project.path}/export`, undefined, project.admin);
    const record = records.find(({ id }: { id: string }) => id === ticket.id);
    const elsewhere = await openHarness();
    try {
      const there = await makeProject(elsewhere);
      const member = await makeMember(elsewhere, there, "member");
      const stranger = await makeUser(elsewhere, { accountId: there.accountId });
      const call = (method: string, path: string, body?: unknown, { token } = there.admin) =>
        elsewhere.call(method, `${there.path}${path}`, { token, body });
      const of = (email: string) => ({
        comments: record.comments.map((one: object) => ({ ...one, created_by: email })),
        questions: record.questions.map((one: { answered_by: string | null }) => ({
          ...one,
          created_by: email,
          answered_by: one.answered_by && email,
        })),
      });
      for (const [user, id] of [[stranger, null], [member, member.id]] as const) {
        await elsewhere.sql`truncate tickets cascade`;
        const imported = await call("POST", "/import", { records: [{ ...record, ...of(user.email) }] });
        expect(imported.status).toBe(200);
        const path = `/tickets/${ticket.id}`;
        expect((await call("GET", `${path}/comments`)).body.comments).toMatchObject([
          { author: { id }, imported: true },
        ]);
        expect((await call("GET", `${path}/questions`)).body.questions).toMatchObject([
          { asked_by: { id }, imported: true, answer: { user_id: id, imported: true } },
          { asked_by: { id }, imported: true, answer: null },
        ]);
        const late = await call("POST", `${path}/questions/${open.id}/answer`, { text: "Later" });
        expect(late.body).toMatchObject({ imported: true, answer: { imported: false } });
      }
    } finally {
      await elsewhere.close();
    }
  });
});

describe("strangers", () => {
  test("a super admin of another account is nobody here, whom one could mention, ask or assign", async () => {
    const boss = await makeUser(harness.now, { role: "super_admin" });
    const { path } = await talk.newTicket();
    const mention = (id: string) => talk.call("POST", `${path}/comments`, { body: `@[Someone](${id}) look` });
    const unknown = await mention(crypto.randomUUID());
    const known = await mention(boss.id);
    expect(known.status).toBe(400);
    expect(known.body.error.replace(boss.id, "")).toBe(unknown.body.error.replace(/[\da-f-]{36}/, ""));
    const asked = await talk.call("POST", `${path}/questions`, {
      prompt: "You?",
      addressee: { user_id: boss.id },
    });
    expect(Object.keys(asked.body.fieldErrors)).toEqual(["addressee.user_id"]);
    const task = { title: "Look at it", role: "qa", assignee_user_id: boss.id };
    expect((await talk.call("POST", `${path}/tasks`, task)).status).toBe(400);
  });

  test("emails of members are told to those who administer the project", async () => {
    const list = async ({ token }: { token: string }) =>
      (await harness.now.call("GET", `${talk.project.path}/members`, { token })).body.members;
    expect((await list(talk.project.admin)).map(({ email }: { email: string }) => email))
      .toContain(talk.ann.email);
    const viewer = await makeMember(harness.now, talk.project, "viewer");
    const key = await makeKey(harness.now, talk.project.admin, { scopes: ["tickets:read"] });
    for (const caller of [viewer, talk.ann, talk.annsKey, key]) {
      expect((await list(caller)).every(({ email }: { email: string | null }) => email === null)).toBe(true);
    }
  });

  test.each([
    '"<img/src=x>1@example.com',
    "a(b)@example.com",
    "a;b@example.com",
    "a,b@example.com",
    "a:b@x.com",
  ])(
    "no new user has the email %s",
    async (email) => {
      const { token } = await makeUser(harness.now, { role: "admin" });
      const { status, body } = await harness.now.call("POST", "/users", {
        token,
        body: { email, name: "X" },
      });
      expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["email"]]);
    },
  );
});
