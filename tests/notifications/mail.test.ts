import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createMailer, MailRefused } from "../../src/core/mailer.ts";
import { systemContext } from "../../src/core/context.ts";
import { makeMember, makeProject, makeTicket, makeUser, type TestTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { TestMailServer } from "../smtp.ts";
import { DECISION, useTalk } from "../talk.ts";
import { startTcpProxy, targetOf } from "../tcp_proxy.ts";
import { until } from "../until.ts";

const smtp = await TestMailServer.start();
const line = startTcpProxy(targetOf(smtp.url));
afterAll(async () => {
  line.close();
  await smtp.stop();
});
const settings = { SMTP_URL: `smtp://127.0.0.1:${line.port}`, MAIL_FROM: "tickets@handoff.test" };
const harness = useHarness({ env: settings });
const talk = useTalk(harness);

const deliver = () => harness.now.run("deliver-notifications");

/** Delivers the messages that wait for their next try at once. */
async function deliverAgain(): Promise<void> {
  await harness.now.sql`update messages set next_try_at = now() where state = 'pending'`;
  await deliver();
}

/** Makes the last event of every notification older. */
function passTime() {
  return harness.now.sql`update notifications set last_at = last_at - interval '16 minutes'`;
}

beforeEach(async () => {
  await passTime();
  await deliver();
  smtp.received.length = 0;
});

const mailsTo = ({ email }: { email: string }) => smtp.received.filter(({ to }) => to === email);

describe("a mail", () => {
  test("tells at once of a question, with what is asked and where it is answered", async () => {
    const { ann, ben, annsKey } = talk;
    const ticket = await talk.newTicket();
    await talk.ask(ticket, {
      ...DECISION,
      prompt: "Which limit\nshall it be?",
      addressee: { user_id: ben.id },
    }, annsKey);
    await deliver();
    const [mail, ...more] = mailsTo(ben);
    expect(more).toEqual([]);
    expect(mail!.subject).toMatch(new RegExp(`^${ticket.ref} `));
    expect(mail!.text).toContain(`${ticket.ref} Test User asks: Which limit shall it be?`);
    expect(mail!.text).toContain("Which limit\nshall it be?");
    expect(mail!.text).toContain("- No limit\n  - 2 GB");
    expect(mail!.text).toContain(`http://handoff.test/${talk.project.key}/tickets/${ticket.ref}`);
    expect(mail!.headers.get("auto-submitted")).toBe("auto-generated");
    expect(mail!.headers.has("references")).toBe(false);
    expect(mail!.headers.get("list")).toMatchObject({
      "unsubscribe": { url: expect.stringContaining("/api/unsubscribe?token=") },
    });
    expect(mailsTo(ann)).toEqual([]);
    await deliverAgain();
    expect(mailsTo(ben)).toHaveLength(1);
  });

  test("tells of a question also if something else happened on the ticket since", async () => {
    const { ann, ben, project } = talk;
    const ticket = await talk.newTicket();
    await talk.ask(ticket, { prompt: "First?", addressee: { user_id: ben.id } });
    await talk.ask(ticket, { prompt: "Not for Ben?", addressee: { user_id: project.admin.id } }, ann);
    await talk.done("PUT", `${ticket.path}/watch`, {}, ben);
    await talk.done("POST", `${ticket.path}/comments`, { body: "By the way" }, ann);
    await deliver();
    const [mail, ...more] = mailsTo(ben);
    expect(more).toEqual([]);
    expect(mail!.text).toContain(`${ticket.ref} waits for an answer: First?`);
    expect(mail!.text).toContain("By the way\n\nWaits for an answer: First?");
    expect(mail!.text).not.toContain("Not for Ben?");
    const withdrawn = await talk.ask(ticket, { prompt: "Withdrawn?", addressee: { user_id: ben.id } });
    await talk.done("POST", `${withdrawn.path}/withdraw`);
    await deliver();
    expect(mailsTo(ben)[1]!.text).toContain(`${ticket.ref} waits for an answer: First?`);
    expect(mailsTo(ben)[1]!.text).not.toContain("Withdrawn?");
    await talk.ask(ticket, { prompt: "Second?", addressee: { user_id: ben.id } });
    await deliver();
    expect(mailsTo(ben)[2]).toMatchObject({
      subject: mail!.subject,
      text: expect.stringMatching(/Test User asks: Second\?[^]*Second\?\n\nWaits for an answer: First\?/),
    });
    // All mails of the ticket are one thread, which the first one begins.
    for (const later of mailsTo(ben).slice(1)) {
      expect([later.headers.get("references"), later.headers.get("in-reply-to")]).toEqual([
        mail!.id,
        mail!.id,
      ]);
    }
  });

  test("tells at once of mentions and of answers to one's questions, with their text", async () => {
    const { ann, ben } = talk;
    const ticket = await talk.newTicket();
    const question = await talk.ask(ticket, { addressee: { user_id: ben.id } }, ann);
    await talk.done("POST", `${question.path}/answer`, { text: "Chunks it is" }, ben);
    await talk.done("POST", `${ticket.path}/comments`, { body: `@[Ben](${ben.id}) thanks a lot` });
    await deliver();
    expect(mailsTo(ann)).toMatchObject([{ text: expect.stringContaining(" answered: ") }]);
    expect(mailsTo(ann)[0]!.text).toContain("Answer: Chunks it is");
    expect(mailsTo(ben)[0]!.text).toContain("thanks a lot");
  });

  test("tells the rest in one digest, after a quarter of an hour unread", async () => {
    const reader = await makeMember(harness.now, talk.project, "member");
    const tickets = [await talk.newTicket(), await talk.newTicket(), await talk.newTicket()] as const;
    for (const ticket of tickets) {
      await talk.done("PUT", `${ticket.path}/watch`, {}, reader);
      await talk.done("POST", `${ticket.path}/comments`, { body: "News" });
    }
    await deliver();
    expect(mailsTo(reader)).toEqual([]);
    await talk.done("POST", "/inbox/read", { ticket_ids: [tickets[0].id] }, reader);
    await passTime();
    await deliver();
    const [digest, ...more] = mailsTo(reader);
    expect(more).toEqual([]);
    expect(digest!.subject).toBe("News of 2 tickets");
    expect(digest!.text).not.toContain(tickets[0].ref + " ");
    for (const { ref } of tickets.slice(1)) expect(digest!.text).toContain(ref);
  });

  test("is not sent of what was read, answered or closed to its reader since, nor to who has left", async () => {
    const [reader, leaver, gone] = await Promise.all(
      [1, 2, 3].map(() => makeMember(harness.now, talk.project, "member")),
    );
    const ticket = await talk.newTicket();
    const ask = (who: { id: string }) => talk.ask(ticket, { addressee: { user_id: who.id } });
    const question = await ask(reader!);
    await talk.done("POST", `${question.path}/withdraw`);
    await ask(leaver!);
    await ask(gone!);
    await talk.done("DELETE", `${talk.project.path}/members/${leaver!.id}`, undefined, talk.project.admin);
    await talk.done("DELETE", `/users/${gone!.id}`, undefined, talk.project.admin);
    await deliver();
    for (const who of [reader!, leaver!, gone!]) expect(mailsTo(who)).toEqual([]);
  });

  test("shows names for mentions, and the mention that something else followed", async () => {
    const { ann, ben } = talk;
    const ticket = await talk.newTicket();
    await talk.done("POST", `${ticket.path}/comments`, { body: `@[Ben Stone](${ben.id}) please look` }, ann);
    await talk.done("POST", `${ticket.path}/comments`, { body: "One more thing" }, ann);
    await deliver();
    const [mail] = mailsTo(ben);
    expect(mail!.text).toContain("Mentions you: @Ben Stone please look");
    expect(mail!.text).not.toContain(`(${ben.id})`);
  });

  test("shows names for mentions in titles, questions, options and answers, too", async () => {
    const { ann, ben } = talk;
    const mention = `@[Ann Lee](${ann.id})`;
    const ticket = await talk.newTicket({ title: `Ask ${mention} first` });
    const options = [{ id: "a", label: `Ask ${mention}` }, { id: "b", label: "No" }];
    const addressee = { user_id: ben.id };
    const question = { kind: "decision", prompt: `Shall ${mention} do it?`, options, addressee };
    await talk.ask(ticket, question, talk.annsKey);
    await talk.ask(ticket, { prompt: `And may ${mention} close it?`, addressee });
    await deliver();
    const [mail] = mailsTo(ben);
    expect(mail!.subject).toBe(`${ticket.ref} Ask @Ann Lee first`);
    expect(mail!.text).toContain("asks: And may @Ann Lee close it?");
    expect(mail!.text).toContain("Waits for an answer: Shall @Ann Lee do it?");
    expect(mail!.text).not.toContain(ann.id);
  });

  test("is not sent once its reader has turned mails off, or muted the ticket", async () => {
    const [off, muted] = await Promise.all([1, 2].map(() => makeMember(harness.now, talk.project, "member")));
    const ticket = await talk.newTicket();
    for (const { id } of [off!, muted!]) {
      await talk.done("POST", `${ticket.path}/comments`, { body: `@[x](${id}) look` });
    }
    line.refuse();
    await deliver();
    line.accept();
    await talk.done("PUT", "/settings/notifications", { mail: "none" }, off);
    await talk.done("DELETE", `${ticket.path}/watch`, undefined, muted);
    await deliverAgain();
    expect([...mailsTo(off!), ...mailsTo(muted!)]).toEqual([]);
  });

  test("waits while its reader has snoozed the ticket", async () => {
    const reader = await makeMember(harness.now, talk.project, "member");
    const ticket = await talk.newTicket();
    await talk.done("POST", `${ticket.path}/comments`, { body: `@[x](${reader.id}) look` });
    line.refuse();
    await deliver();
    line.accept();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await talk.done("POST", "/inbox/snooze", { ticket_ids: [ticket.id], until }, reader);
    await deliverAgain();
    expect(mailsTo(reader)).toEqual([]);
    await harness.now.sql`update notifications set snoozed_until = now() where user_id = ${reader.id}::uuid`;
    await deliver();
    expect(mailsTo(reader)).toMatchObject([{ text: expect.stringContaining("@x look") }]);
  });

  test("tells of no work and no mention that was taken back", async () => {
    const [task, ended, ticketsOwn, mentioned, still] = await Promise.all(
      [1, 2, 3, 4, 5].map(() => makeMember(harness.now, talk.project, "member")),
    );
    const ticket = await talk.newTicket();
    const give = ({ id }: { id: string }) =>
      talk.done("POST", `${ticket.path}/tasks`, { title: "Do", role: "backend", assignee_user_id: id });
    const [given, skipped] = [await give(task!), await give(ended!)];
    await give(still!);
    const own = await talk.newTicket();
    await talk.done("PATCH", own.path, { assignee_user_id: ticketsOwn!.id });
    const other = await talk.newTicket();
    const said = await talk.done("POST", `${other.path}/comments`, { body: `@[x](${mentioned!.id}) look` });
    await harness.now.follow();
    await passTime();
    line.refuse();
    await deliver();
    line.accept();
    await talk.done("PATCH", `${ticket.path}/tasks/${given.id}`, { assignee_user_id: talk.ann.id });
    await talk.done("PATCH", `${ticket.path}/tasks/${skipped.id}`, { status: "skipped" });
    await talk.done("PATCH", own.path, { assignee_user_id: null });
    await talk.done("PATCH", `${other.path}/comments/${said.id}`, { body: "Never mind" });
    await deliverAgain();
    for (const who of [task, ended, ticketsOwn, mentioned]) expect(mailsTo(who!)).toEqual([]);
    expect(mailsTo(still!)).toHaveLength(1);
  });

  test("asks for no approval that was given, and announces no deleted comment", async () => {
    const { ann, ben, project } = talk;
    const ticket = await talk.newTicket();
    const test = { title: "Try", instruction: "Look." };
    const { id } = await talk.done("POST", `${ticket.path}/test-cases`, test, talk.annsKey);
    await talk.done("PATCH", ticket.path, { stage: "validation" }, talk.annsKey);
    const other = await talk.newTicket();
    const said = await talk.done("POST", `${other.path}/comments`, { body: `@[Ben](${ben.id}) look` }, ann);
    line.refuse();
    await deliver();
    line.accept();
    await talk.done("POST", `${ticket.path}/test-cases/${id}/approve`, {}, project.admin);
    await talk.done("DELETE", `${other.path}/comments/${said.id}`, undefined, ann);
    await deliverAgain();
    expect(mailsTo(ben)).toEqual([]);
  });

  test("comes ten times in ten minutes at most, and the rest in one", async () => {
    const reader = await makeMember(harness.now, talk.project, "member");
    const tickets = await Promise.all(Array.from({ length: 14 }, () => talk.newTicket()));
    for (const { path } of tickets) {
      await talk.done("POST", `${path}/comments`, { body: `@[x](${reader.id}) look` });
    }
    await deliver();
    const mails = mailsTo(reader);
    expect(mails).toHaveLength(10);
    expect(mails.filter(({ subject }) => subject === "News of 5 tickets")).toHaveLength(1);
    for (const { ref } of tickets) expect(mails.some(({ text }) => text.includes(ref))).toBe(true);
    await talk.ask(tickets[0]!, { addressee: { user_id: reader.id } });
    await deliver();
    expect(mailsTo(reader)).toHaveLength(10);
    await harness.now.sql`
      update messages set created_at = created_at - interval '11 minutes' where user_id = ${reader.id}::uuid`;
    await deliver();
    expect(mailsTo(reader)).toHaveLength(11);
  });

  test("keeps what was written out of its header", async () => {
    const { ben } = talk;
    const ticket = await talk.newTicket();
    const prompt = "Hi\r\nBcc: someone@evil.test\r\n\r\nBody";
    await talk.ask(ticket, { prompt, addressee: { user_id: ben.id } });
    await deliver();
    expect(mailsTo(ben)[0]!.headers.has("bcc")).toBe(false);
    expect(smtp.received.map(({ to }) => to)).not.toContain("someone@evil.test");
  });

  test("comes as its reader has chosen: all, the urgent alone, or none", async () => {
    const wishes = ["all", "urgent", "none"] as const;
    const counts: Record<string, number> = {};
    for (const mail of wishes) {
      const reader = await makeMember(harness.now, talk.project, "member");
      expect(await talk.done("PUT", "/settings/notifications", { mail }, reader)).toEqual({
        mail,
        mail_available: true,
        chat_host: null,
      });
      const [asked, watched] = [await talk.newTicket(), await talk.newTicket()];
      await talk.ask(asked, { addressee: { user_id: reader.id } });
      await talk.done("PUT", `${watched.path}/watch`, {}, reader);
      await talk.done("POST", `${watched.path}/comments`, { body: "News" });
      await deliver();
      await passTime();
      await deliver();
      counts[mail] = mailsTo(reader).length;
    }
    expect(counts).toEqual({ all: 2, urgent: 1, none: 0 });
    expect((await talk.call("PUT", "/settings/notifications", { mail: "none" }, talk.annsKey)).status).toBe(
      403,
    );
  });
});

test("a question is delivered at once, the rest waits for its digest", async () => {
  const reader = await makeMember(harness.now, talk.project, "member");
  const look = async () => {
    await harness.now.follow();
    return await harness.now.work("deliver-notifications");
  };
  const ticket = await talk.newTicket();
  await talk.done("PUT", `${ticket.path}/watch`, {}, reader);
  await talk.done("POST", `${ticket.path}/comments`, { body: "News" });
  expect(await look()).toBe(0);
  await talk.ask(ticket, { addressee: { user_id: reader.id } });
  expect(await look()).toBe(1);
  expect(mailsTo(reader)).toHaveLength(1);
  expect(await look()).toBe(0);
});

describe("a mail server", () => {
  interface Case {
    ticket: TestTicket;
    reader: { email: string; id: string };
  }

  async function asked(): Promise<Case> {
    const reader = await makeMember(harness.now, talk.project, "member");
    const ticket = await talk.newTicket();
    await talk.ask(ticket, { addressee: { user_id: reader.id } });
    return { ticket, reader };
  }

  test("that is away gets the mail once it is back", async () => {
    const { reader } = await asked();
    line.refuse();
    await deliver();
    line.accept();
    const rows = await harness.now.sql`
      select state, tries, error from messages where user_id = ${reader.id}::uuid`;
    expect([...rows]).toEqual([{
      state: "pending",
      tries: 1,
      error: expect.stringContaining("ECONNREFUSED"),
    }]);
    expect(await metric('handoff_messages_total{channel="mail",outcome="retried"}')).toBeGreaterThan(0);
    await deliverAgain();
    await deliverAgain();
    expect(mailsTo(reader)).toHaveLength(1);
  });

  test("that is slow with one mail gets the others in between, and that one once", async () => {
    const [slow, ...others] = await Promise.all(Array.from({ length: 10 }, asked)) as [Case, ...Case[]];
    const held = Promise.withResolvers<void>();
    smtp.slow.set(slow.reader.email, held.promise);
    const delivering = deliver();
    await until(() => others.every(({ reader }) => mailsTo(reader).length === 1));
    await deliver();
    expect(mailsTo(slow.reader)).toEqual([]);
    held.resolve();
    await delivering;
    await deliverAgain();
    expect(mailsTo(slow.reader)).toHaveLength(1);
  });

  test("may be named by an IPv6 address", async () => {
    const server = Deno.listen({ hostname: "::1", port: 0 });
    const mailer = createMailer({
      ...settings,
      SMTP_URL: `smtp://[::1]:${(server.addr as Deno.NetAddr).port}`,
      PUBLIC_URL: "http://handoff.test",
    })!;
    const sending = mailer.send({ id: "six", to: "someone@handoff.test", subject: "x", text: "x" })
      .catch((error: unknown) => error);
    const connection = await server.accept();
    await connection.write(new TextEncoder().encode("554 not now\r\n"));
    expect(String(await sending)).toContain("554 not now");
    connection.close();
    server.close();
  });

  test("that falls silent is not waited for without end, and may be tried again", async () => {
    const mailer = createMailer({ ...settings, PUBLIC_URL: "http://handoff.test" }, {
      connectMs: 100,
      silenceMs: 100,
    })!;
    const mail = { id: "silent", to: "someone@handoff.test", subject: "x", text: "x" };
    line.hold();
    const greeting = await mailer.send(mail).catch((error: unknown) => error);
    line.release();
    smtp.slow.set(mail.to, new Promise(() => {}));
    const talking = await mailer.send(mail).catch((error: unknown) => error);
    for (const error of [greeting, talking]) {
      expect(error).toMatchObject({ code: "ETIMEDOUT" });
      expect(error).not.toBeInstanceOf(MailRefused);
    }
  });

  test("that breaks off in the middle of a mail gets it again, under the same id", async () => {
    const { reader } = await asked();
    smtp.breaks = { before: 1, after: 1 };
    await deliver();
    expect(mailsTo(reader)).toEqual([]);
    await deliverAgain();
    await deliverAgain();
    const mails = mailsTo(reader);
    expect(mails).toHaveLength(2); // The server had kept the mail that it never acknowledged.
    expect(new Set(mails.map(({ id }) => id)).size).toBe(1);
    await deliverAgain();
    expect(mailsTo(reader)).toHaveLength(2);
  });

  test("that refuses one address gets every other mail, and that one never again", async () => {
    const [first, second] = [await asked(), await asked()];
    smtp.refused.add(first.reader.email);
    await deliver();
    await deliverAgain();
    expect(mailsTo(first.reader)).toEqual([]);
    expect(mailsTo(second.reader)).toHaveLength(1);
    const rows = await harness.now.sql`
      select state, tries, error from messages where user_id = ${first.reader.id}::uuid`;
    expect([...rows]).toEqual([{ state: "refused", tries: 1, error: expect.stringContaining("550") }]);
    expect(await metric('handoff_messages_total{channel="mail",outcome="refused"}')).toBeGreaterThan(0);
  });

  test("gets the mails of the accounts in turns", async () => {
    await Promise.all(Array.from({ length: 12 }, asked));
    const other = await makeProject(harness.now);
    const reader = await makeMember(harness.now, other, "member");
    const ticket = await makeTicket(harness.now, other);
    const body = { prompt: "Which way?", addressee: { user_id: reader.id } };
    await talk.done("POST", `${ticket.path}/questions`, body, other.admin);
    smtp.received.length = 0;
    await deliver();
    expect(smtp.received.findIndex(({ to }) => to === reader.email)).toBeLessThan(9);
    expect(smtp.received.length).toBeGreaterThanOrEqual(13);
  });

  test("that refuses the sender or relaying is tried again, until it is mended", async () => {
    for (
      const refusal of ["550 5.7.1 relay access denied", "554 relay access denied", "550 5.1.8 bad sender"]
    ) {
      const { reader } = await asked();
      smtp.refusals.set(reader.email, refusal);
      await deliver();
      expect(mailsTo(reader)).toEqual([]);
      smtp.refusals.delete(reader.email);
      await deliverAgain();
      expect(mailsTo(reader)).toHaveLength(1);
    }
  });

  test("that refuses the address itself by a status code is not tried again", async () => {
    const { reader } = await asked();
    smtp.refusals.set(reader.email, "550 5.1.1 no such user");
    await deliver();
    smtp.refusals.delete(reader.email);
    await deliverAgain();
    expect(mailsTo(reader)).toEqual([]);
  });

  test("whose connection dies with the process gets its mail from the next one", async () => {
    const { reader } = await asked();
    await harness.now.services.queue.enqueue(harness.now.sql, "deliver-notifications", {});
    await harness.now.follow();
    const { collectNotifications } = await import("../../src/notifications/collect.ts");
    const ctx = systemContext(harness.now.services, { kind: "job", id: "test" }, "test");
    await collectNotifications(ctx);
    // A process that took the message died here.
    await harness.now.sql`
      update messages set tries = 1, next_try_at = now() + interval '3 minutes' where user_id = ${reader.id}::uuid`;
    await deliver();
    expect(mailsTo(reader)).toEqual([]);
    await deliverAgain();
    expect(mailsTo(reader)).toHaveLength(1);
  });

  async function metric(name: string): Promise<number> {
    const text = await (await harness.now.request("GET", "/metrics")).text();
    return Number(text.split("\n").find((line) => line.startsWith(name))?.split(" ").at(-1) ?? 0);
  }
});

describe("the link that ends a person's mails", () => {
  async function linkFor(reader: { email: string; id: string }): Promise<string> {
    await talk.ask(await talk.newTicket(), { addressee: { user_id: reader.id } });
    await deliver();
    const { unsubscribe } = mailsTo(reader)[0]!.headers.get("list") as { unsubscribe: { url: string } };
    return new URL(unsubscribe.url).pathname + new URL(unsubscribe.url).search;
  }

  test("works with one click and without a sign-in, once and again, and asks a person first", async () => {
    const reader = await makeMember(harness.now, talk.project, "member");
    const link = await linkFor(reader);
    const asked = await harness.now.request("GET", link);
    expect([asked.status, await asked.text()]).toEqual([
      200,
      expect.stringContaining('<form method="post">'),
    ]);
    const { mail } = await talk.done("GET", "/settings/notifications", undefined, reader);
    expect(mail).toBe("all");
    for (let click = 0; click < 2; click++) {
      const answer = await harness.now.request("POST", link, {
        raw: "List-Unsubscribe=One-Click",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      expect(answer.status).toBe(200);
      expect((await talk.done("GET", "/settings/notifications", undefined, reader)).mail).toBe("none");
    }
    const audit = await harness.now.sql`
      select from audit_log where action = 'user.unsubscribed' and target_id = ${reader.id}`;
    expect(audit.count).toBe(1);
  });

  test("is nobody else's, and can't be guessed", async () => {
    const [reader, other] = [
      await makeMember(harness.now, talk.project, "member"),
      await makeUser(harness.now),
    ];
    const link = await linkFor(reader);
    const token = new URLSearchParams(link.split("?")[1]).get("token")!;
    const [, signature] = token.split(".");
    for (
      const guess of [
        "",
        "x",
        `${other.id}.${signature}`,
        `${reader.id}.`,
        `${token}x`,
        `${reader.id}.${"A".repeat(43)}`,
      ]
    ) {
      const answer = await harness.now.request("POST", `/api/unsubscribe?token=${encodeURIComponent(guess)}`);
      expect([guess, answer.status]).toEqual([guess, 404]);
    }
    expect((await talk.done("GET", "/settings/notifications", undefined, reader)).mail).toBe("all");
  });
});

describe("an invitation", () => {
  test("goes by mail, and its link is nowhere in the database", async () => {
    const { admin } = talk.project;
    const user = await talk.done("POST", "/users", { email: "new@example.test", name: "New" }, admin);
    const link = user.invite_url.split("#")[1];
    const kept = await harness.now.sql`select from messages m where m::text like ${`%${link}%`}`;
    expect(kept.count).toBe(0);
    await deliver();
    const [mail] = mailsTo({ email: "new@example.test" });
    expect(mail!.text).toContain(user.invite_url);
    const again = await talk.done("POST", `/users/${user.id}/invitation`, {}, admin);
    await deliver();
    expect(mailsTo({ email: "new@example.test" })[1]!.text).toContain(again.invite_url);
    const [row] = await harness.now.sql`select link from messages where user_id = ${user.id}::uuid limit 1`;
    expect(row!.link).toBeNull();
  });
});

test("watchers hear of a ticket's moves, each once", async () => {
  const reader = await makeMember(harness.now, talk.project, "member");
  const ticket = await talk.newTicket();
  await talk.done("PUT", `${ticket.path}/watch`, {}, reader);
  const inbox = async () => (await talk.done("GET", "/inbox?show=unread", undefined, reader)).notifications;
  await harness.now.follow();
  await talk.done("PATCH", ticket.path, { priority: "high" });
  await talk.done("PATCH", ticket.path, { stage: "up_next" });
  await harness.now.follow();
  expect(await inbox()).toMatchObject([{
    ticket: { id: ticket.id },
    reason: "change",
    last_event: { type: "ticket.changed" },
  }]);
  await talk.done("POST", "/inbox/read", { ticket_ids: [ticket.id] }, reader);
  await harness.now.follow();
  expect(await inbox()).toEqual([]);
});
