import { v7 as uuid } from "uuid";
import { describe, expect, test } from "vitest";
import { makeMember, makeTicket, makeUser } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { DECISION, useTalk } from "../talk.ts";

const harness = useHarness();
const talk = useTalk(harness);

describe("a question", () => {
  test("is asked, listed, read and answered", async () => {
    const { project, ann, ben } = talk;
    const ticket = await talk.newTicket();
    const made = await talk.call("POST", `${ticket.path}/questions`, {
      prompt: "Which limit shall uploads have?",
      context: "The proxy cuts after **2 GB**.",
    }, talk.annsKey);
    expect(made.status).toBe(201);
    expect(made.headers.get("location")).toBe(`/api${ticket.path}/questions/${made.body.id}`);
    expect(made.body).toEqual({
      id: expect.any(String),
      ticket_id: ticket.id,
      ticket_ref: ticket.ref,
      project_id: project.id,
      task_id: null,
      kind: "question",
      prompt: "Which limit shall uploads have?",
      context: "The proxy cuts after **2 GB**.",
      options: null,
      selection: null,
      allow_text: true,
      addressee_user_id: null,
      addressee_role: null,
      resolver: "human_only",
      about_version: null,
      stale: false,
      due_at: null,
      default_option: null,
      made_with_ticket: false,
      status: "pending",
      answer: null,
      ended_at: null,
      superseded_by: null,
      asked_by: { id: ann.id, name: "Test User", kind: "agent" },
      imported: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const path = `${ticket.path}/questions/${made.body.id}`;
    expect((await talk.call("GET", path)).body).toEqual(made.body);
    expect((await talk.done("GET", ticket.path)).pending_questions).toBe(1);
    const answered = await talk.done("POST", `${path}/answer`, { text: "None: chunks" }, ben);
    expect(answered).toMatchObject({
      status: "answered",
      ended_at: answered.answer.at,
      answer: { option_ids: [], text: "None: chunks", by: "person", user_id: ben.id, user_name: "Test User" },
    });
    expect((await talk.done("GET", ticket.path)).pending_questions).toBe(0);
    const second = await talk.ask(ticket);
    const { questions } = await talk.done("GET", `${ticket.path}/questions`);
    expect(questions.map(({ id }: { id: string }) => id)).toEqual([made.body.id, second.id]);
    const pending = await talk.done("GET", `${ticket.path}/questions?status=pending`);
    expect(pending.questions.map(({ id }: { id: string }) => id)).toEqual([second.id]);
  });

  test("is made once under an idempotency key", async () => {
    const ticket = await talk.newTicket();
    const body = { prompt: "Once?", idempotency_key: "once" };
    const twins = await Promise.all([1, 2].map(() => talk.call("POST", `${ticket.path}/questions`, body)));
    expect(twins.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    expect((await talk.done("GET", ticket.path)).pending_questions).toBe(1);
  });

  test("keeps odd text as sent and refuses what can't be stored", async () => {
    const ticket = await talk.newTicket();
    for (const prompt of ["", "x".repeat(5001), "a\0b", "\udfff"]) {
      expect((await talk.call("POST", `${ticket.path}/questions`, { prompt })).body.fieldErrors)
        .toHaveProperty("prompt");
    }
    const context = "x".repeat(10_001);
    expect((await talk.call("POST", `${ticket.path}/questions`, { prompt: "?", context })).status).toBe(400);
    const odd = "שלום \u202Eabc\u202C \u200B?";
    expect((await talk.ask(ticket, { prompt: odd })).prompt).toBe(odd);
  });

  test("is not asked on a closed ticket", async () => {
    const ticket = await talk.newTicket();
    await talk.done("PATCH", ticket.path, { status: "closed" });
    const { body } = await talk.call("POST", `${ticket.path}/questions`, { prompt: "Still?" });
    expect(body.code).toBe("conflict");
  });

  test("asked while its ticket closes is refused or ends with the ticket, and never stays", async () => {
    for (let turn = 0; turn < 5; turn++) {
      const ticket = await talk.newTicket();
      const [asked, closed] = await Promise.all([
        talk.call("POST", `${ticket.path}/questions`, { prompt: "Still?" }, talk.annsKey),
        talk.call("PATCH", ticket.path, { status: "closed" }, talk.ben),
      ]);
      expect([closed.status, asked.status === 201 || asked.body.code === "conflict"]).toEqual([200, true]);
      const { questions } = await talk.done("GET", `${ticket.path}/questions`);
      expect(questions.map(({ status }: { status: string }) => status)).toEqual(
        asked.status === 201 ? ["withdrawn"] : [],
      );
      expect((await talk.done("GET", ticket.path)).pending_questions).toBe(0);
    }
  });

  test("refuses parts that don't go together", async () => {
    const ticket = await talk.newTicket();
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    for (
      const [fields, path] of [
        [{ kind: "decision" }, "options"],
        [{ ...DECISION, options: DECISION.options.slice(1) }, "options"],
        [{ ...DECISION, options: [DECISION.options[0], DECISION.options[0]] }, "options"],
        [{ options: DECISION.options }, "options"],
        [{ kind: "confirmation", selection: "single" }, "selection"],
        [{ allow_text: false }, "allow_text"],
        [{ ...DECISION, default_option: "2gb" }, "default_option"],
        [{ ...DECISION, default_option: "3gb", due_at: soon }, "default_option"],
        [{ kind: "confirmation", default_option: "yes", due_at: soon }, "default_option"],
        [{ due_at: "2020-01-01T00:00:00Z" }, "due_at"],
        [{ about_version: 99 }, "about_version"],
        [{ ...DECISION, options: [DECISION.options[0], { id: "b", label: "a\0b" }] }, "options.1.label"],
        [
          { ...DECISION, options: [DECISION.options[0], { id: "b", label: "x".repeat(201) }] },
          "options.1.label",
        ],
        [{ addressee: {} }, "addressee"],
        [{ addressee: { user_id: talk.ben.id, role: "admin" } }, "addressee"],
        [{ addressee: { user_id: uuid() } }, "addressee.user_id"],
        [{ addressee: { user_id: talk.bot.id } }, "addressee.user_id"],
        [
          { addressee: { user_id: (await makeMember(harness.now, talk.project, "viewer")).id } },
          "addressee.user_id",
        ],
        [{ task_id: uuid() }, "task_id"],
      ] as const
    ) {
      const { status, body } = await talk.call("POST", `${ticket.path}/questions`, {
        prompt: "?",
        ...fields,
      });
      expect([status, Object.keys(body.fieldErrors ?? body)], JSON.stringify(fields)).toEqual([400, [path]]);
    }
  });
});

describe("an answer", () => {
  test("has the form that its question asks for", async () => {
    const ticket = await talk.newTicket();
    const answers = [
      [{}, { option_ids: ["chunks"] }, "option_ids"],
      [{}, {}, "text"],
      [DECISION, { option_ids: ["3gb"] }, "option_ids.0"],
      [DECISION, { option_ids: ["chunks", "2gb"] }, "option_ids"],
      [DECISION, {}, "option_ids"],
      [DECISION, { option_ids: ["2gb", "2gb"] }, "option_ids"],
      [{ ...DECISION, allow_text: false }, { option_ids: ["2gb"], text: "a note" }, "text"],
      [{ ...DECISION, allow_text: false }, { text: "neither" }, "text"],
      [{ kind: "confirmation" }, { text: "perhaps" }, "option_ids"],
      [{ kind: "confirmation" }, { option_ids: ["maybe"] }, "option_ids.0"],
      [{ kind: "confirmation" }, { option_ids: ["yes", "no"] }, "option_ids"],
    ] as const;
    for (const [fields, answer, path] of answers) {
      const question = await talk.ask(ticket, fields);
      const { status, body } = await talk.call("POST", `${question.path}/answer`, answer);
      expect([status, Object.keys(body.fieldErrors ?? body)], JSON.stringify(answer)).toEqual([400, [path]]);
    }
    for (
      const [fields, answer] of [
        [DECISION, { option_ids: ["chunks"], text: "a note" }],
        [DECISION, { option_ids: [], text: "neither" }],
        [{ ...DECISION, selection: "multiple" }, { option_ids: ["2gb", "chunks"], text: null }],
        [{ kind: "confirmation" }, { option_ids: ["no"], text: "not before June" }],
      ] as const
    ) {
      const question = await talk.ask(ticket, fields);
      const sent = Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null));
      expect((await talk.done("POST", `${question.path}/answer`, sent)).answer).toMatchObject(answer);
    }
  });

  test("keeps odd text as sent, and refuses what can't be stored", async () => {
    const question = await talk.ask(await talk.newTicket());
    for (const text of ["", "x".repeat(10_001), "a\0b", "\udfff"]) {
      const { status, body } = await talk.call("POST", `${question.path}/answer`, { text });
      expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["text"]]);
    }
    const odd = `שלום \u202Eabc\u202C \u200B?${"\u{1F600}".repeat(9000)}`;
    expect((await talk.done("POST", `${question.path}/answer`, { text: odd })).answer.text).toBe(odd);
  });

  test("counts once: of two at the same moment the later one gets the first", async () => {
    const ticket = await talk.newTicket();
    const question = await talk.ask(ticket);
    const answers = await Promise.all(
      [talk.ann, talk.ben, talk.project.admin].map((who, index) =>
        talk.call("POST", `${question.path}/answer`, { text: `answer ${index}` }, who)
      ),
    );
    const first = answers.find(({ status }) => status === 200)!.body;
    const others = answers.filter(({ status }) => status !== 200);
    expect(others).toHaveLength(2);
    for (const { status, body } of others) {
      expect([status, body.code, body.details.current.answer]).toEqual([
        409,
        "already_answered",
        first.answer,
      ]);
    }
    expect((await talk.done("GET", ticket.path)).pending_questions).toBe(0);
  });

  test("comes from a person in a session, also to what an API key of their own asked, and from no credential to itself", async () => {
    const { ann, ben, bot, annsKey, bensKey, project } = talk;
    const viewer = await makeMember(harness.now, project, "viewer");
    const left = await makeMember(harness.now, project, "member");
    await talk.done("DELETE", `${project.path}/members/${left.id}`, undefined, project.admin);
    const stranger = await makeUser(harness.now, { role: "admin" });
    const human = { resolver: "human_only" };
    const anyone = { resolver: "not_creator" };
    for (
      const [asker, fields, answerer, status] of [
        [annsKey, human, ann, 200],
        [annsKey, human, annsKey, 403],
        [annsKey, human, bensKey, 403],
        [annsKey, human, bot, 403],
        [annsKey, human, viewer, 403],
        [annsKey, human, left, 403],
        [annsKey, human, stranger, 403],
        [ann, human, ann, 403],
        [ann, human, annsKey, 403],
        [ann, human, ben, 200],
        [bot, anyone, bot, 403],
        [bot, anyone, annsKey, 200],
        [annsKey, anyone, annsKey, 403],
        [annsKey, anyone, bensKey, 200],
        [annsKey, anyone, ann, 200],
        [annsKey, { addressee: { user_id: ben.id } }, ann, 403],
        [annsKey, { addressee: { user_id: ben.id } }, ben, 200],
        [annsKey, { addressee: { user_id: ben.id } }, project.admin, 200],
        [annsKey, { addressee: { role: "admin" } }, ben, 403],
        [annsKey, { addressee: { role: "admin" } }, project.admin, 200],
        [annsKey, { addressee: { role: "member" } }, ben, 200],
      ] as const
    ) {
      const question = await talk.ask(await talk.newTicket(), fields, asker);
      const answer = await talk.call("POST", `${question.path}/answer`, { text: "So" }, answerer);
      expect(answer.status, JSON.stringify([fields, status, answer.body])).toBe(status);
    }
  });

  test("about another version of the ticket is given only knowingly", async () => {
    const ticket = await talk.newTicket();
    const { version } = await talk.done("GET", ticket.path);
    const question = await talk.ask(ticket, { about_version: version });
    await talk.done("PATCH", ticket.path, { priority: "high" });
    expect((await talk.done("GET", question.path)).stale).toBe(true);
    const refused = await talk.call("POST", `${question.path}/answer`, { text: "So" });
    expect([refused.status, refused.body.code]).toEqual([409, "question_stale"]);
    const taken = await talk.done("POST", `${question.path}/answer`, { text: "So", confirm_stale: true });
    expect(taken).toMatchObject({ status: "answered", stale: false });
  });

  test("to a question that asking itself didn't make stale needs no such word", async () => {
    const ticket = await talk.newTicket();
    const { version } = await talk.done("GET", ticket.path);
    const question = await talk.ask(ticket, { about_version: version });
    await talk.done("POST", `${question.path}/answer`, { text: "So" });
  });
});

describe("a question that ends without an answer", () => {
  test("is withdrawn by its asker, the owner of its asker's key or an admin, and by nobody else", async () => {
    const { ann, ben, annsKey, bensKey, project } = talk;
    const ticket = await talk.newTicket();
    for (
      const [who, status] of [[ben, 403], [bensKey, 403], [annsKey, 200], [ann, 200], [
        project.admin,
        200,
      ]] as const
    ) {
      const question = await talk.ask(ticket);
      expect((await talk.call("POST", `${question.path}/withdraw`, {}, who)).status).toBe(status);
    }
    const question = await talk.ask(ticket);
    await talk.done("POST", `${question.path}/withdraw`);
    const { status, body } = await talk.call("POST", `${question.path}/answer`, { text: "Late" }, ben);
    expect([status, body.code, body.details.current.status]).toEqual([409, "conflict", "withdrawn"]);
  });

  test("is superseded by another one", async () => {
    const ticket = await talk.newTicket();
    const question = await talk.ask(ticket);
    const next = await talk.call(
      "POST",
      `${question.path}/supersede`,
      { prompt: "And with chunks?" },
      talk.annsKey,
    );
    expect(next.status).toBe(201);
    expect(next.body).toMatchObject({ status: "pending", prompt: "And with chunks?" });
    expect(await talk.done("GET", question.path)).toMatchObject({
      status: "superseded",
      superseded_by: next.body.id,
    });
    expect((await talk.done("GET", ticket.path)).pending_questions).toBe(1);
    expect((await talk.call("POST", `${question.path}/supersede`, { prompt: "Again?" })).body.code).toBe(
      "conflict",
    );
  });

  test("expires at its time, by its default option where it has one", async () => {
    const ticket = await talk.newTicket();
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const plain = await talk.ask(ticket, { due_at: soon });
    const decision = await talk.ask(ticket, { ...DECISION, due_at: soon, default_option: "2gb" });
    const later = await talk.ask(ticket, { due_at: new Date(Date.now() + 7_200_000).toISOString() });
    await harness.now.run("expire-questions");
    expect((await talk.done("GET", plain.path)).status).toBe("pending");
    await harness.now.sql.begin(async (tx) => {
      await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
      await tx`update questions set due_at = now() - interval '1 second' where id in (${plain.id}::uuid, ${decision.id}::uuid)`;
    });
    await harness.now.run("expire-questions");
    expect(await talk.done("GET", plain.path)).toMatchObject({ status: "expired", answer: null });
    expect(await talk.done("GET", decision.path)).toMatchObject({
      status: "answered",
      answer: { option_ids: ["2gb"], by: "default", user_id: null },
    });
    expect((await talk.done("GET", later.path)).status).toBe("pending");
    expect((await talk.done("GET", ticket.path)).pending_questions).toBe(1);
  });

  test("and an answer at the same moment: one of them counts, and the count of what is pending is right", async () => {
    for (const rival of ["withdraw", "supersede", "close", "expire"] as const) {
      const ticket = await talk.newTicket();
      const question = await talk.ask(ticket, { due_at: new Date(Date.now() + 3_600_000).toISOString() });
      if (rival === "expire") {
        await harness.now.sql.begin(async (tx) => {
          await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
          await tx`update questions set due_at = now() where id = ${question.id}::uuid`;
        });
      }
      const rivals = {
        withdraw: () => talk.call("POST", `${question.path}/withdraw`, {}, talk.annsKey),
        supersede: () => talk.call("POST", `${question.path}/supersede`, { prompt: "Other?" }, talk.annsKey),
        close: () => talk.call("PATCH", ticket.path, { status: "closed" }, talk.ben),
        expire: () => harness.now.run("expire-questions"),
      };
      const [answer] = await Promise.all([
        talk.call("POST", `${question.path}/answer`, { text: "So" }, talk.ben),
        rivals[rival](),
      ]);
      const { status } = await talk.done("GET", question.path);
      expect([200, 409]).toContain(answer.status);
      expect(status === "answered", rival).toBe(answer.status === 200);
      const { pending_questions } = await talk.done("GET", ticket.path);
      expect(pending_questions).toBe(
        status === "superseded" ? 1 : rival === "expire" && status === "pending" ? 1 : 0,
      );
    }
  });
});

test("an archived project's questions are read only", async () => {
  const ticket = await makeTicket(harness.now, talk.project);
  const question = await talk.ask(ticket);
  await talk.done("DELETE", talk.project.path, undefined, talk.project.admin);
  expect((await talk.call("GET", question.path)).status).toBe(200);
  expect((await talk.call("POST", `${question.path}/answer`, { text: "So" }, talk.ben)).status).toBe(403);
  await talk.done("PATCH", talk.project.path, { archived: false }, talk.project.admin);
});
