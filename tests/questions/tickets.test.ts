import { describe, expect, test } from "vitest";
import { ticketInput } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { useTalk } from "../talk.ts";

const harness = useHarness();
const talk = useTalk(harness);

function create(fields: Record<string, unknown>, caller: { token: string } = talk.annsKey) {
  return talk.done("POST", `${talk.project.path}/tickets`, ticketInput({ roles: ["qa"], ...fields }), caller);
}

const pathOf = ({ ticket }: { ticket: { id: string } }) => `${talk.project.path}/tickets/${ticket.id}`;

async function onlyQuestion(ticketPath: string) {
  const { questions } = await talk.done("GET", `${ticketPath}/questions`);
  expect(questions).toHaveLength(1);
  return questions[0];
}

describe("a ticket that needs an answer", () => {
  test.each(["clarification_needed", "decision_needed"])(
    "%s makes one pending question of itself",
    async (type) => {
      const created = await create({
        request_type: type,
        title: "Which limit?",
        description: "The proxy cuts after 2 GB.",
      });
      const path = pathOf(created);
      expect(await onlyQuestion(path)).toMatchObject({
        id: created.question_id,
        kind: "question",
        prompt: "Which limit?",
        context: "The proxy cuts after 2 GB.",
        resolver: "human_only",
        made_with_ticket: true,
        status: "pending",
        asked_by: { id: talk.ann.id, kind: "agent" },
      });
      expect((await talk.done("GET", path)).pending_questions).toBe(1);
      const { history } = await talk.done("GET", `${path}/history`);
      expect(history.map(({ entity, action }: Record<string, string>) => `${entity} ${action}`)).toEqual([
        "ticket created",
        "question created",
        "role created",
      ]);
    },
  );

  test("makes none when it says so, and other types never make one", async () => {
    for (
      const fields of [{ request_type: "decision_needed", ask: false }, { request_type: "bug" }, {
        ask: true,
      }]
    ) {
      const created = await create(fields);
      expect(created).not.toHaveProperty("question_id");
      expect((await talk.done("GET", pathOf(created))).pending_questions).toBe(0);
    }
  });

  test("makes one, however often its creation is repeated", async () => {
    const fields = { request_type: "decision_needed", idempotency_key: "repeated" };
    const [first, second] = [await create(fields), await create(fields)];
    expect(second).toEqual({ ...first, _idempotent_replay: true });
    await onlyQuestion(pathOf(first));
  });

  test("costs its creation no statement", async () => {
    const cost = (fields: Record<string, unknown>) => harness.now.count(() => create(fields));
    await cost({});
    expect(await cost({ request_type: "decision_needed" })).toBe(await cost({}));
  });

  test("keeps the note with which a person closes it as the answer", async () => {
    const created = await create({ request_type: "decision_needed" });
    const other = await talk.ask({ path: pathOf(created) } as never);
    const close = { action: "close", ticket_ids: [created.ticket.id], skip_pending_roles: true };
    await talk.done(
      "POST",
      `${talk.project.path}/tickets/bulk`,
      { ...close, resolution_note: "No limit" },
      talk.ben,
    );
    const { questions } = await talk.done("GET", `${pathOf(created)}/questions`);
    expect(questions).toMatchObject([
      { status: "answered", answer: { text: "No limit", by: "person", user_id: talk.ben.id } },
      { id: other.id, status: "withdrawn", answer: null },
    ]);
  });

  test("is closed by a bot client all the same: its question is withdrawn, and history names who closed it", async () => {
    const created = await create({ request_type: "decision_needed" });
    const path = pathOf(created);
    await talk.done("POST", `${path}/roles/qa/finish`);
    await talk.done("PATCH", path, { status: "closed", resolution_note: "Done by me" }, talk.annsKey);
    expect(await onlyQuestion(path)).toMatchObject({ status: "withdrawn", answer: null });
    const { history } = await talk.done("GET", `${path}/history`);
    expect(history).toContainEqual(expect.objectContaining({
      entity: "question",
      field: "status",
      to: "withdrawn",
      actor: expect.objectContaining({ kind: "key", key_id: talk.annsKey.id }),
    }));
  });
});

describe("closing", () => {
  test("as completed past a person's question is refused to bot clients, in every call, with the question", async () => {
    const ticket = await talk.newTicket();
    const question = await talk.ask(ticket);
    const other = await talk.newTicket();
    expect((await talk.done("GET", ticket.path)).closing.questions).toBe(1);
    for (const bot of [talk.annsKey, talk.bensKey, talk.bot]) {
      const patched = await talk.call("PATCH", ticket.path, { stage: "live" }, bot);
      expect([patched.status, patched.body.code, patched.body.details.questions]).toEqual([
        409,
        "question_unanswered",
        [{ id: question.id, prompt: question.prompt }],
      ]);
      const bulk = await talk.done("POST", `${talk.project.path}/tickets/bulk`, {
        action: "close",
        ticket_ids: [ticket.id, other.id],
        resolution_type: "completed",
        dry_run: true,
      }, bot);
      expect(bulk).toMatchObject({ updated: 1, errors: [{ id: ticket.id, code: "question_unanswered" }] });
    }
    expect((await talk.done("GET", question.path)).status).toBe("pending");
    await talk.done("POST", `${question.path}/withdraw`, {}, talk.annsKey);
    await talk.done("PATCH", ticket.path, { stage: "live" }, talk.annsKey);
  });

  test("with another resolution, or past a question that an agent may answer, is not", async () => {
    const ticket = await talk.newTicket();
    const question = await talk.ask(ticket);
    await talk.done("PATCH", ticket.path, { stage: "live", resolution_type: "wont_fix" }, talk.annsKey);
    expect((await talk.done("GET", question.path)).status).toBe("withdrawn");
    const second = await talk.newTicket();
    await talk.ask(second, { resolver: "not_creator" });
    await talk.done("PATCH", second.path, { stage: "live" }, talk.bensKey);
  });

  test("by a person withdraws what is pending; reopening doesn't bring it back", async () => {
    const ticket = await talk.newTicket();
    const question = await talk.ask(ticket);
    await talk.done("PATCH", ticket.path, { stage: "live" }, talk.ben);
    expect((await talk.done("GET", ticket.path)).pending_questions).toBe(0);
    await talk.done("PATCH", ticket.path, { stage: "backlog" }, talk.ben);
    expect((await talk.done("GET", question.path)).status).toBe("withdrawn");
    expect((await talk.done("GET", ticket.path)).pending_questions).toBe(0);
  });

  test("of many tickets sends no more statements for their questions than for one", async () => {
    const close = async (count: number) => {
      const tickets = await Promise.all(Array.from({ length: count }, () => talk.newTicket()));
      for (const ticket of tickets) await talk.ask(ticket);
      const body = { action: "close", ticket_ids: tickets.map(({ id }) => id) };
      return await harness.now.count(() => talk.done("POST", `${talk.project.path}/tickets/bulk`, body));
    };
    expect(await close(6)).toBe(await close(1));
  });
});

test("tickets are listed and counted by what they wait for", async () => {
  const { body: project } = await harness.now.call("POST", "/projects", {
    token: talk.project.admin.token,
    body: { name: "Waiting" },
  });
  const path = `/projects/${project.id}`;
  const { admin } = talk.project;
  const make = async (fields: Record<string, unknown> = {}) => {
    const { ticket } = await talk.done("POST", `${path}/tickets`, ticketInput(fields), admin);
    return { id: ticket.id, path: `${path}/tickets/${ticket.id}` };
  };
  const [asked, tested, forAgent, idle, decision] = [
    await make(),
    await make(),
    await make(),
    await make(),
    await make({ request_type: "decision_needed" }),
  ];
  await talk.done("POST", `${asked.path}/questions`, { prompt: "?" }, admin);
  await talk.done("POST", `${forAgent.path}/questions`, { prompt: "?", resolver: "not_creator" }, admin);
  for (const one of [tested, idle]) {
    await talk.done("POST", `${one.path}/test-cases`, { title: "Try", instruction: "Look." }, admin);
  }
  await talk.done("PATCH", tested.path, { stage: "validation" }, admin);
  const found = async (waiting: string) => {
    const { tickets } = await talk.done(
      "GET",
      `${path}/tickets?sort=created_at&waiting_on=${waiting}`,
      undefined,
      admin,
    );
    return tickets.map(({ id }: { id: string }) => id);
  };
  expect(await found("person")).toEqual([asked.id, tested.id, decision.id]);
  expect(await found("agent")).toEqual([forAgent.id]);
  expect(await found("none")).toEqual([idle.id]);
  const { stages } = await talk.done("GET", `${path}/tickets/counts?waiting_on=person`, undefined, admin);
  expect(stages).toMatchObject({ backlog: 2, validation: 1 });
});
