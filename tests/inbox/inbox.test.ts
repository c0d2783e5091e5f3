import { describe, expect, test } from "vitest";
import { makeKey, makeMember, makeProject, makeUser, type TestTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { useTalk } from "../talk.ts";

const harness = useHarness();
const talk = useTalk(harness);

interface Caller {
  token: string;
}

async function inbox(caller: Caller, query = "") {
  await harness.now.follow();
  return (await talk.done("GET", `/inbox?limit=200${query}`, undefined, caller)).notifications;
}

/** The caller's notification of a ticket, if any. */
async function told(caller: Caller, ticket: TestTicket) {
  const found = await inbox(caller);
  return found.find((one: { ticket: { id: string } }) => one.ticket.id === ticket.id);
}

const reason = async (caller: Caller, ticket: TestTicket) => (await told(caller, ticket))?.reason;

function say(ticket: TestTicket, body: string, caller: Caller = talk.ann) {
  return talk.done("POST", `${ticket.path}/comments`, { body }, caller);
}

const mention = ({ id }: { id: string }) => `@[x](${id})`;

describe("the inbox", () => {
  test("has one row for each person and ticket, with the strongest reason since it was last read", async () => {
    const { ann, ben, annsKey } = talk;
    const ticket = await talk.newTicket();
    await talk.done("PUT", `${ticket.path}/watch`, {}, ben);
    for (let turn = 0; turn < 5; turn++) await say(ticket, `Turn ${turn}`);
    const first = await told(ben, ticket);
    expect(first).toMatchObject({
      reason: "comment",
      unread: true,
      ticket: { id: ticket.id, ticket_ref: ticket.ref },
      project: { id: talk.project.id },
      first_event: { type: "comment.created", actor: { kind: "user", id: ann.id } },
      snoozed_until: null,
    });
    expect(first.first_event.at < first.last_event.at).toBe(true);
    await talk.ask(ticket, { addressee: { user_id: ben.id } }, annsKey);
    await say(ticket, "Once more");
    expect(await told(ben, ticket)).toMatchObject({
      reason: "question",
      first_event: first.first_event,
      last_event: { type: "comment.created" },
    });
    await talk.done("POST", "/inbox/read", { ticket_ids: [ticket.id] }, ben);
    expect(await told(ben, ticket)).toMatchObject({ unread: false });
    await say(ticket, "And again");
    const again = await told(ben, ticket);
    expect(again).toMatchObject({ reason: "comment", unread: true });
    expect(again.first_event).toEqual(again.last_event);
    expect(JSON.stringify(again)).not.toContain("And again");
  });

  test("is counted, read up to a time, snoozed, archived and brought back by what happens next", async () => {
    const reader = await makeMember(harness.now, talk.project, "member");
    const tickets = await Promise.all([1, 2, 3].map(() => talk.newTicket()));
    for (const ticket of tickets) await talk.done("PUT", `${ticket.path}/watch`, {}, reader);
    for (const ticket of tickets) await say(ticket, "Look");
    const count = async () => {
      await harness.now.follow();
      return (await talk.done("GET", "/inbox/count", undefined, reader)).unread;
    };
    expect(await count()).toBe(3);
    const [latest, middle, oldest] = await inbox(reader);
    expect(latest.ticket.id).toBe(tickets[2]!.id);
    const up_to = middle.last_event.at;
    expect((await talk.done("POST", "/inbox/read", { up_to }, reader)).updated).toBeGreaterThanOrEqual(1);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const snooze = { ticket_ids: [latest.ticket.id], until };
    expect(await talk.done("POST", "/inbox/snooze", snooze, reader)).toEqual({ updated: 1 });
    expect(await count()).toBeLessThan(2);
    expect((await inbox(reader, "&show=snoozed")).map((one: { ticket: { id: string } }) => one.ticket.id))
      .toEqual([
        latest.ticket.id,
      ]);
    await talk.done("POST", "/inbox/snooze", { ...snooze, until: null }, reader);
    expect((await inbox(reader, "&show=unread"))[0].ticket.id).toBe(latest.ticket.id);
    await talk.done("POST", "/inbox/archive", { ticket_ids: [oldest.ticket.id] }, reader);
    expect((await inbox(reader)).map((one: { ticket: { id: string } }) => one.ticket.id)).toEqual([
      latest.ticket.id,
      middle.ticket.id,
    ]);
    expect(await inbox(reader, "&show=archived")).toHaveLength(1);
    await say(tickets[0]!, "It goes on");
    expect((await inbox(reader))[0]).toMatchObject({ ticket: { id: oldest.ticket.id }, unread: true });
  });

  test("comes in pages that lose nothing", async () => {
    const reader = await makeMember(harness.now, talk.project, "member");
    const tickets = await Promise.all(Array.from({ length: 5 }, () => talk.newTicket()));
    await Promise.all(tickets.map((ticket) => talk.done("PUT", `${ticket.path}/watch`, {}, reader)));
    await Promise.all(tickets.map((ticket) => say(ticket, "Look")));
    await harness.now.follow();
    const seen: string[] = [];
    let cursor = "";
    do {
      const body = await talk.done("GET", `/inbox?limit=2${cursor}`, undefined, reader);
      seen.push(...body.notifications.map((one: { ticket: { id: string } }) => one.ticket.id));
      cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
    } while (cursor !== "");
    expect(seen.toSorted()).toEqual(tickets.map(({ id }) => id).toSorted());
  });

  test("needs either ids or a time", async () => {
    for (
      const body of [{}, { ticket_ids: [], up_to: undefined }, {
        ticket_ids: [talk.ann.id],
        up_to: "2026-01-01T00:00:00Z",
      }]
    ) {
      expect((await talk.call("POST", "/inbox/read", body)).status).toBe(400);
    }
  });

  test("shows nothing of a project that was lost, and nothing of another one to a key that is bound", async () => {
    const reader = await makeMember(harness.now, talk.project, "member");
    const ticket = await talk.newTicket();
    await say(ticket, `${mention(reader)} look`);
    expect(await reason(reader, ticket)).toBe("mention");
    const other = await makeProject(harness.now, { admin: talk.project.admin });
    const key = await makeKey(harness.now, reader, { projectId: other.id });
    expect(await told(key, ticket)).toBeUndefined();
    await talk.done("DELETE", `${talk.project.path}/members/${reader.id}`, undefined, talk.project.admin);
    expect(await told(reader, ticket)).toBeUndefined();
    expect((await talk.done("GET", "/inbox/count", undefined, reader)).unread).toBe(0);
  });
});

describe("people are told of", () => {
  test("comments, as creators, assignees, commenters, mentioned and watchers; and never of their own act", async () => {
    const { project, ann, ben } = talk;
    const [assignee, watcher, other] = await Promise.all(
      [1, 2, 3].map(() => makeMember(harness.now, project, "member")),
    );
    const ticket = await talk.newTicket();
    await talk.done("POST", `${ticket.path}/tasks`, {
      title: "x",
      role: "qa",
      assignee_user_id: assignee!.id,
    });
    await talk.done("PUT", `${ticket.path}/watch`, {}, watcher);
    await say(ticket, "First", ben);
    await say(ticket, `Second ${mention(ann)}`, ben);
    expect(await reason(project.admin, ticket)).toBe("comment");
    expect(await reason(assignee!, ticket)).toBe("assigned");
    expect(await reason(watcher!, ticket)).toBe("comment");
    expect(await reason(ann, ticket)).toBe("mention");
    expect(await reason(ben, ticket)).toBeUndefined();
    expect(await reason(other!, ticket)).toBeUndefined();
    await say(ticket, "Third", ann);
    expect(await reason(ben, ticket)).toBe("comment");
  });

  test("a mention that an edit adds, and of none twice", async () => {
    const ticket = await talk.newTicket();
    const { id } = await say(ticket, "Look");
    await talk.done("PATCH", `${ticket.path}/comments/${id}`, { body: `Look ${mention(talk.ben)}` });
    expect(await reason(talk.ben, ticket)).toBe("mention");
    await talk.done("POST", "/inbox/read", { ticket_ids: [ticket.id] }, talk.ben);
    await talk.done("PATCH", `${ticket.path}/comments/${id}`, { body: `Look there ${mention(talk.ben)}` });
    expect((await told(talk.ben, ticket)).unread).toBe(false);
  });

  test("what an API key of their own does, as of anybody else's act", async () => {
    const { ann, annsKey } = talk;
    const ticket = await talk.newTicket();
    await talk.done("PUT", `${ticket.path}/watch`, {}, ann);
    await say(ticket, "Done", annsKey);
    expect(await told(ann, ticket)).toMatchObject({
      reason: "comment",
      last_event: { actor: { kind: "key" } },
    });
    const asked = await talk.newTicket();
    await talk.ask(asked, { addressee: { user_id: ann.id } }, annsKey);
    expect(await reason(ann, asked)).toBe("question");
  });

  test("questions: the addressee, those of the role, or all members", async () => {
    const { project, ann, ben, bot, annsKey } = talk;
    const lead = await makeMember(harness.now, project, "admin");
    const viewer = await makeMember(harness.now, project, "viewer");
    const asked = async (fields: Record<string, unknown>) => {
      const ticket = await talk.newTicket();
      await talk.ask(ticket, fields, annsKey);
      const people = { ann, ben, bot, lead, viewer };
      const reasons = await Promise.all(
        Object.entries(people).map(async ([name, who]) => await reason(who, ticket) && name),
      );
      return reasons.filter(Boolean);
    };
    expect(await asked({ addressee: { user_id: ben.id } })).toEqual(["ben"]);
    expect(await asked({ addressee: { role: "admin" } })).toEqual(["lead"]);
    expect(await asked({})).toEqual(["ann", "ben", "lead"]);
    await talk.done("DELETE", `${project.path}/members/${lead.id}`, undefined, project.admin);
  });

  test("a question in a project without members: the account's admins", async () => {
    const lonely = await makeProject(harness.now, { admin: talk.project.admin });
    const key = await makeKey(harness.now, talk.project.admin);
    const { ticket } = await talk.done("POST", `${lonely.path}/tickets`, {
      title: "Which limit?",
      description: "The proxy cuts after 2 GB.",
      request_type: "decision_needed",
      priority: "high",
      blocking: true,
      roles: ["qa"],
    }, key);
    expect(await reason(talk.project.admin, { id: ticket.id } as TestTicket)).toBe("question");
  });

  test("test cases that wait for approval, from validation on", async () => {
    const ticket = await talk.newTicket();
    await talk.done(
      "POST",
      `${ticket.path}/test-cases`,
      { title: "Try", instruction: "Look." },
      talk.annsKey,
    );
    expect(await reason(talk.ben, ticket)).toBeUndefined();
    await talk.done("PATCH", ticket.path, { stage: "validation" }, talk.annsKey);
    expect(await reason(talk.ben, ticket)).toBe("approval");
    await talk.done("POST", "/inbox/read", { ticket_ids: [ticket.id] }, talk.ben);
    await talk.done(
      "POST",
      `${ticket.path}/test-cases`,
      { title: "Also", instruction: "Look." },
      talk.annsKey,
    );
    expect(await told(talk.ben, ticket)).toMatchObject({ reason: "approval", unread: true });
  });

  test("tasks that another assigns to them, not those that they claim", async () => {
    const ticket = await talk.newTicket();
    const { id } = await talk.done("POST", `${ticket.path}/tasks`, { title: "x", role: "qa" });
    await talk.done("POST", `${ticket.path}/tasks/${id}/claim`, {}, talk.ben);
    expect(await reason(talk.ben, ticket)).toBeUndefined();
    await talk.done("PATCH", `${ticket.path}/tasks/${id}`, { status: "pending" });
    await talk.done("PATCH", `${ticket.path}/tasks/${id}`, { assignee_user_id: talk.ben.id });
    expect(await reason(talk.ben, ticket)).toBe("assigned");
  });

  test("nothing of a ticket that they have muted, and all again once they watch it", async () => {
    const { ben } = talk;
    const ticket = await talk.newTicket();
    expect(await talk.done("DELETE", `${ticket.path}/watch`, undefined, ben)).toMatchObject({ muted: true });
    await say(ticket, `${mention(ben)} look`);
    await say(ticket, "I answer", ben);
    await talk.ask(ticket, { addressee: { user_id: ben.id } });
    await say(ticket, "And on");
    expect(await reason(ben, ticket)).toBeUndefined();
    await talk.done("PUT", `${ticket.path}/watch`, {}, ben);
    await say(ticket, "Again");
    expect(await reason(ben, ticket)).toBe("comment");
  });

  test("watchers are listed with the reason of each", async () => {
    const { ann, ben, project } = talk;
    const ticket = await talk.newTicket();
    await talk.done("POST", `${ticket.path}/tasks`, { title: "x", role: "qa", assignee_user_id: ben.id });
    await say(ticket, "Hello", ann);
    const { watchers } = await talk.done("GET", `${ticket.path}/watchers`);
    expect(Object.fromEntries(watchers.map((one: Record<string, string>) => [one.user_id, one.reason])))
      .toEqual({
        [project.admin.id]: "creator",
        [ben.id]: "assigned",
        [ann.id]: "comment",
      });
    const stranger = await makeUser(harness.now);
    expect((await talk.call("PUT", `${ticket.path}/watch`, {}, stranger)).status).toBe(403);
  });
});

describe("agents are told of", () => {
  test("answers to what they asked, each key for itself", async () => {
    const { ann, ben, annsKey } = talk;
    const second = await makeKey(harness.now, ann);
    const ticket = await talk.newTicket();
    const question = await talk.ask(ticket, {}, annsKey);
    await talk.done("POST", `${question.path}/answer`, { text: "So" }, ben);
    expect(await told(annsKey, ticket)).toMatchObject({
      reason: "question",
      last_event: { type: "question.answered", actor: { id: ben.id } },
    });
    expect(await told(second, ticket)).toBeUndefined();
  });

  test("answers that their owner gives in a session", async () => {
    const { ann, annsKey } = talk;
    const ticket = await talk.newTicket();
    const question = await talk.ask(ticket, {}, annsKey);
    await talk.done("POST", `${question.path}/answer`, { text: "So" }, ann);
    expect(await reason(annsKey, ticket)).toBe("question");
  });

  test("an answer for which a task waited that they claimed, though another asked", async () => {
    const { ann, bensKey } = talk;
    const ticket = await talk.newTicket();
    const task = await talk.claimedTask(ticket, bensKey);
    const question = await talk.ask(ticket, { task_id: task.id }, ann);
    await talk.done("POST", `${question.path}/answer`, { text: "So" }, talk.ben);
    expect(await reason(bensKey, ticket)).toBe("question");
    expect(await reason(ann, ticket)).toBe("question");
  });

  test("mentions and assigned tasks, and of nothing else", async () => {
    const { ann, bot } = talk;
    const ticket = await talk.newTicket();
    await talk.done("PUT", `${ticket.path}/watch`, {}, bot);
    await say(ticket, "Not for you");
    expect(await reason(bot, ticket)).toBeUndefined();
    await say(ticket, `${mention(bot)} for you`, ann);
    expect(await reason(bot, ticket)).toBe("mention");
    const other = await talk.newTicket();
    await talk.done("POST", `${other.path}/tasks`, { title: "x", role: "qa", assignee_user_id: bot.id });
    expect(await reason(bot, other)).toBe("assigned");
  });
});

describe("loops that other boards are known for", () => {
  test("an agent that answers its own comment is told once", async () => {
    const { ann, bot } = talk;
    const ticket = await talk.newTicket();
    await say(ticket, `${mention(bot)} please`, ann);
    let rounds = 0;
    for (; rounds < 5 && (await told(bot, ticket))?.unread; rounds++) {
      await talk.done("POST", "/inbox/read", { ticket_ids: [ticket.id] }, bot);
      await say(ticket, `Working on it, says ${mention(bot)}`, bot);
    }
    expect(rounds).toBe(1);
  });

  test("two agents that mention each other end after one round", async () => {
    const { bot } = talk;
    const other = await makeMember(harness.now, talk.project, "member", "bot");
    const ticket = await talk.newTicket();
    await say(ticket, `${mention(bot)} begin`, talk.ann);
    const turns: string[] = [];
    for (let speaker = bot, listener = other; turns.length < 10 && (await told(speaker, ticket))?.unread;) {
      turns.push(speaker.id);
      await talk.done("POST", "/inbox/read", { ticket_ids: [ticket.id] }, speaker);
      await say(ticket, `${mention(listener)} your turn`, speaker);
      [speaker, listener] = [listener, speaker];
    }
    expect(turns).toEqual([bot.id, other.id, bot.id]);
    await say(ticket, `${mention(other)} go on`, talk.ann);
    expect((await told(other, ticket)).unread).toBe(true);
  });

  test("a bot's comment doesn't wake the bot through its second key", async () => {
    const { bot } = talk;
    const [first, second] = [await makeKey(harness.now, bot), await makeKey(harness.now, bot)];
    const ticket = await talk.newTicket();
    await say(ticket, `Note to ${mention(bot)}`, first);
    expect(await told(second, ticket)).toBeUndefined();
    const { annsKey } = talk;
    const another = await makeKey(harness.now, talk.ann);
    await say(ticket, `${mention(talk.ann)} look`, annsKey);
    expect([await told(another, ticket), await told(annsKey, ticket)]).toEqual([undefined, undefined]);
  });

  test("a closed ticket wakes no agent", async () => {
    const { bot } = talk;
    const ticket = await talk.newTicket();
    await talk.done("PATCH", ticket.path, { status: "closed" });
    await say(ticket, `${mention(bot)} and ${mention(talk.ben)}`);
    expect(await told(bot, ticket)).toBeUndefined();
    expect(await reason(talk.ben, ticket)).toBe("mention");
  });

  test("a reply inherits no mention, not even by quoting it", async () => {
    const { bot } = talk;
    const ticket = await talk.newTicket();
    const { id } = await say(ticket, `${mention(bot)} please`);
    await harness.now.follow();
    await talk.done("POST", "/inbox/read", { ticket_ids: [ticket.id] }, bot);
    const body = `> ${mention(bot)} please\n\nYes, please`;
    await talk.done("POST", `${ticket.path}/comments`, { body, parent_id: id }, talk.ben);
    expect((await told(bot, ticket)).unread).toBe(false);
  });
});
