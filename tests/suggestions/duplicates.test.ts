import { describe, expect, test, vi } from "vitest";
import { log } from "../../src/core/log.ts";
import { behindLock } from "../behind_lock.ts";
import { makeMember, makeProject, makeTicket, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import {
  analyze,
  analyzeAll,
  decide,
  embedding,
  INVOICE,
  list,
  makePair,
  stateOf,
  UPLOAD_AGAIN,
} from "./world.ts";

const harness = useHarness(embedding);

async function suggestedPair() {
  const project = await makeProject(harness.now);
  const pair = await makePair(harness.now, project);
  await analyze(harness.now);
  const [suggestion] = await list(harness.now, project);
  return { project, ...pair, suggestion: suggestion! };
}

function patch(project: TestProject, ticket: { path: string }, body: Record<string, unknown>) {
  return harness.now.call("PATCH", ticket.path, { token: project.admin.token, body });
}

describe("two open tickets about the same thing", () => {
  test("are suggested once, the later to be closed, with the words that they share as evidence", async () => {
    const { project, first, second, suggestion } = await suggestedPair();
    await makeTicket(harness.now, project, INVOICE);
    await analyze(harness.now);
    await analyzeAll(harness.now);
    expect(await list(harness.now, project, "status=all")).toHaveLength(1);
    expect(suggestion).toMatchObject({
      kind: "duplicate",
      status: "pending",
      ticket_id: second.id,
      title: `${second.ref} looks like a duplicate of ${first.ref}`,
      evidence: {
        duplicate_of: { ticket_id: first.id, ticket_ref: first.ref },
        shared_identifiers: ["UploadWorker"],
      },
    });
    expect(suggestion.evidence.shared_words).toEqual(expect.arrayContaining(["large", "videos", "stops"]));
    expect(suggestion.rationale).toContain("UploadWorker");
    expect(suggestion.confidence).toBeGreaterThan(0.6);
  });

  test("name each word that they share once, an identifier too", async () => {
    const project = await makeProject(harness.now);
    await makeTicket(harness.now, project, { title: "AudioMixer drops frames" });
    await makeTicket(harness.now, project, { title: "AudioMixer drops frames" });
    await analyze(harness.now);
    const [suggestion] = await list(harness.now, project);
    expect(suggestion!.rationale).toContain("both mention AudioMixer, Audio and drops, and");
  });

  test("share words in scripts that put no blanks between them", async () => {
    const project = await makeProject(harness.now);
    const description = "昨日から 正しいパスワード でも 表示されるのはエラーだけです";
    await makeTicket(harness.now, project, { title: "設定画面でログインできない", description });
    await makeTicket(harness.now, project, { title: "ログインできない（設定画面）", description });
    await analyze(harness.now);
    const [suggestion] = await list(harness.now, project);
    expect(suggestion!.evidence.shared_words).toEqual(expect.arrayContaining(["設定", "画面", "ログイン"]));
    expect(suggestion!.confidence).toBeGreaterThan(0.6);
  });

  test("name no data that they share, however alike it makes them", async () => {
    const project = await makeProject(harness.now);
    const description = `The gateway refuses ${"eyJhbGciOiJFUzI1NiJ9".repeat(50)}`;
    await makeTicket(harness.now, project, { title: "Gateway refuses tokens", description });
    await makeTicket(harness.now, project, { title: "Gateway refuses our tokens", description });
    await analyze(harness.now);
    const [suggestion] = await list(harness.now, project);
    expect(suggestion!.evidence.shared_identifiers).toEqual([]);
    expect(suggestion!.rationale.length).toBeLessThan(300);
  });

  test.each([
    ["numbers", ["Update the year to 2024", "Update the year to 2025"]],
    ["names with digits", ["Update the year to 1b64538", "Update the year to 356a192"]],
  ])(
    "are the least sure of all when their titles differ in %s alone, as those of a series do",
    async (_, titles) => {
      const project = await makeProject(harness.now);
      for (const title of titles) await makeTicket(harness.now, project, { title });
      await analyze(harness.now);
      expect(await list(harness.now, project)).toMatchObject([{ kind: "duplicate", confidence: 0.5 }]);
    },
  );

  test("are suggested the other way round when more was done in the later one", async () => {
    const project = await makeProject(harness.now);
    const { first, second } = await makePair(harness.now, project);
    await patch(project, second, { stage: "in_progress" });
    await analyze(harness.now);
    expect(await list(harness.now, project)).toMatchObject([
      { ticket_id: first.id, evidence: { duplicate_of: { ticket_id: second.id } } },
    ]);
  });

  test("are not suggested again after a no, until a text changes", async () => {
    const { project, second, suggestion } = await suggestedPair();
    expect((await decide(harness.now, project, suggestion, "dismiss")).body.status).toBe("dismissed");
    await analyzeAll(harness.now);
    expect(await list(harness.now, project)).toEqual([]);
    await patch(project, second, {
      description: "The upload of large videos beyond two gigabytes stops again.",
    });
    await harness.now.work("embed-ticket");
    await analyze(harness.now);
    expect(await list(harness.now, project)).toHaveLength(1);
  });

  test("stay dismissed once either of them is closed", async () => {
    const { project, first, second, suggestion } = await suggestedPair();
    await decide(harness.now, project, suggestion, "dismiss");
    for (const ticket of [first, second]) {
      await patch(project, ticket, { status: "closed" });
      expect((await decide(harness.now, project, suggestion, "undo")).body.code).toBe("conflict");
      await patch(project, ticket, { status: "open" });
    }
    expect((await decide(harness.now, project, suggestion, "undo")).body.status).toBe("pending");
  });

  test("are withdrawn when one of them changes its subject or is closed, and come back with the facts", async () => {
    const { project, first, second, suggestion } = await suggestedPair();
    // From here on one ticket is looked at without the other.
    await analyze(harness.now);
    await patch(project, first, { status: "closed" });
    await analyze(harness.now);
    expect(await list(harness.now, project, "status=all")).toMatchObject([{
      status: "expired",
      decided_by: null,
    }]);
    expect((await decide(harness.now, project, suggestion, "accept")).body.code).toBe("invalid_transition");
    await patch(project, first, { status: "open" });
    await analyze(harness.now);
    expect(await list(harness.now, project)).toMatchObject([{ id: suggestion.id, status: "pending" }]);
    await patch(project, second, INVOICE);
    await analyze(harness.now);
    expect(await list(harness.now, project)).toEqual([]);
  });
});

describe("accepting a duplicate", () => {
  test("closes it as such, linked to the other, and undo restores the exact former state", async () => {
    const { project, first, second, suggestion } = await suggestedPair();
    await patch(project, second, { stage: "up_next" });
    const before = await stateOf(harness.now, second.id);
    const accepted = await decide(harness.now, project, suggestion, "accept");
    expect(accepted.body).toMatchObject({ status: "accepted", decided_by: project.admin.id });
    const ticket = await harness.now.call("GET", second.path, { token: project.admin.token });
    expect(ticket.body).toMatchObject({
      stage: "live",
      resolution_type: "duplicate",
      resolution_note: `Duplicate of ${first.ref}`,
    });
    const links = (ticket: { path: string }) =>
      harness.now.call("GET", `${ticket.path}/duplicates`, { token: project.admin.token });
    expect((await links(second)).body.duplicate_of).toMatchObject({
      ticket_id: first.id,
      ticket_ref: first.ref,
    });
    expect((await links(first)).body.duplicates).toMatchObject([{ ticket_id: second.id }]);

    expect((await decide(harness.now, project, suggestion, "accept")).status).toBe(200);
    expect((await decide(harness.now, project, suggestion, "undo")).body.status).toBe("pending");
    expect(await stateOf(harness.now, second.id)).toEqual(before);
    expect((await links(second)).body.duplicate_of).toBeNull();
    await analyze(harness.now);
    expect(await list(harness.now, project)).toMatchObject([{ id: suggestion.id }]);
  });

  test.each(["accept", "dismiss"] as const)("answers four who %s it at once the same", async (verb) => {
    const { project, second, suggestion } = await suggestedPair();
    const answers = await behindLock(
      harness.now,
      (tx) => tx`select from tickets where id = ${second.id}::uuid for update`,
      ...Array(4).fill(() => decide(harness.now, project, suggestion, verb)),
    );
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: answers[0]!.body });
  });

  test("is held back by the same gates as any closing, and changes nothing then", async () => {
    const { project, second, suggestion } = await suggestedPair();
    const token = project.admin.token;
    await patch(project, second, { roles: ["qa"] });
    const roles = await decide(harness.now, project, suggestion, "accept");
    expect([roles.status, roles.body.code]).toEqual([409, "roles_incomplete"]);
    for (const step of ["start", "finish"]) {
      await harness.now.call("POST", `${second.path}/roles/qa/${step}`, { token, body: {} });
    }
    await harness.now.call("POST", `${second.path}/test-cases`, {
      token,
      body: { title: "Try it", instruction: "Upload." },
    });
    const before = await stateOf(harness.now, second.id);
    const cases = await decide(harness.now, project, suggestion, "accept");
    expect([cases.status, cases.body.code]).toEqual([409, "human_tests_pending"]);
    expect(await stateOf(harness.now, second.id)).toEqual(before);
    expect(await list(harness.now, project)).toMatchObject([{ id: suggestion.id, status: "pending" }]);
  });

  test("is refused once the other ticket is closed, so that no ring of duplicates can close", async () => {
    const { project, first, suggestion } = await suggestedPair();
    await patch(project, first, { status: "closed" });
    const { status, body } = await decide(harness.now, project, suggestion, "accept");
    expect([status, body.code]).toEqual([409, "conflict"]);
    expect(body.error).toContain(first.ref);
  });

  test("is refused when a text has changed since, before the analyzer has seen it", async () => {
    const { project, first, second, suggestion } = await suggestedPair();
    await patch(project, first, INVOICE);
    const { status, body } = await decide(harness.now, project, suggestion, "accept");
    expect([status, body.code]).toEqual([409, "conflict"]);
    expect(await stateOf(harness.now, second.id)).toMatchObject({ status: "open", duplicate: null });
  });

  test("leaves in the history that the link was made, and that it ended", async () => {
    const { project, second, suggestion } = await suggestedPair();
    for (const verb of ["accept", "undo"] as const) await decide(harness.now, project, suggestion, verb);
    const { body } = await harness.now.call("GET", `${second.path}/history?limit=200`, {
      token: project.admin.token,
    });
    const links = body.history.filter(({ entity }: { entity: string }) => entity === "duplicate");
    expect(links.map(({ action }: { action: string }) => action)).toEqual(["created", "deleted"]);
  });

  test("can't be undone when the ticket was reopened in between", async () => {
    const { project, second, suggestion } = await suggestedPair();
    await decide(harness.now, project, suggestion, "accept");
    await patch(project, second, { status: "open" });
    const { status, body } = await decide(harness.now, project, suggestion, "undo");
    expect([status, body.code]).toEqual([409, "conflict"]);
  });

  test("works again for a ticket that was reopened since, which ended the former link", async () => {
    const { project, first, second, suggestion } = await suggestedPair();
    const duplicateOf = async () =>
      (await harness.now.call("GET", `${second.path}/duplicates`, { token: project.admin.token })).body
        .duplicate_of;
    await decide(harness.now, project, suggestion, "accept");
    await patch(project, second, { resolution_type: "wont_fix" });
    const { body: other } = await harness.now.call("GET", `${first.path}/duplicates`, {
      token: project.admin.token,
    });
    expect([await duplicateOf(), other.duplicates], "closed for another reason").toEqual([null, []]);
    await patch(project, second, { status: "open" });
    expect(await duplicateOf()).toBeNull();
    await patch(project, second, { status: "closed", resolution_type: "duplicate" });
    expect(await duplicateOf()).toBeNull();
    await patch(project, second, { ...INVOICE, stage: "backlog" });
    const third = await makeTicket(harness.now, project, INVOICE);
    await patch(project, third, { stage: "validation" });
    await harness.now.work("embed-ticket");
    await analyze(harness.now);
    const [anew] = await list(harness.now, project);
    expect(anew).toMatchObject({
      ticket_id: second.id,
      evidence: { duplicate_of: { ticket_id: third.id } },
    });
    const before = await stateOf(harness.now, second.id);
    expect(await decide(harness.now, project, anew!, "accept")).toMatchObject({ status: 200 });
    expect(await duplicateOf()).toMatchObject({ ticket_id: third.id });
    expect(await decide(harness.now, project, anew!, "undo")).toMatchObject({ status: 200 });
    expect(await stateOf(harness.now, second.id)).toEqual(before);
  });

  test("and dismissing it at the same moment: one of both decides", async () => {
    for (let round = 0; round < 10; round++) {
      const { project, second, suggestion } = await suggestedPair();
      const answers = await Promise.all([
        decide(harness.now, project, suggestion, "accept"),
        decide(harness.now, project, suggestion, "dismiss"),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const [decided] = await list(harness.now, project, "status=all");
      const closed = (await stateOf(harness.now, second.id)).status === "closed";
      expect(closed).toBe(decided!.status === "accepted");
    }
  });

  test("and an analysis that finds more about its tickets wait for each other in one order", async () => {
    const { project, first, second, suggestion } = await suggestedPair();
    await makeTicket(harness.now, project, UPLOAD_AGAIN);
    const { queue, sql } = harness.now.services;
    await queue.enqueue(sql, "analyze-project", { project_id: project.id, full: true });
    const warn = vi.spyOn(log, "warn");
    await behindLock<unknown>(
      harness.now,
      (tx) =>
        tx`select from ticket_embeddings where ticket_id in (${first.id}::uuid, ${second.id}::uuid) for update`,
      () => decide(harness.now, project, suggestion, "accept"),
      () => harness.now.work("analyze-project"),
    );
    expect(warn.mock.calls.map(([message]) => message)).not.toContain("deadlock, trying again");
    warn.mockRestore();
    const [decided] = await list(harness.now, project, "status=accepted");
    expect(decided).toMatchObject({ id: suggestion.id });
  });

  test("is for members, not for viewers", async () => {
    const { project, suggestion } = await suggestedPair();
    const viewer = await makeMember(harness.now, project, "viewer");
    const path = `${project.path}/ai-suggestions`;
    expect((await harness.now.call("GET", path, { token: viewer.token })).status).toBe(200);
    const refused = await harness.now.call("POST", `${path}/${suggestion.id}/accept`, {
      token: viewer.token,
    });
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
  });
});

test("the duplicates of a ticket come in pages, in the order of their numbers", async () => {
  const project = await makeProject(harness.now);
  const original = await makeTicket(harness.now, project);
  const twins = [
    await makeTicket(harness.now, project),
    await makeTicket(harness.now, project),
    await makeTicket(harness.now, project),
  ];
  const call = (method: string, path: string, body?: unknown) =>
    harness.now.call(method, path, { token: project.admin.token, ...(body !== undefined && { body }) });
  const ticket_ids = twins.map(({ id }) => id);
  await call("POST", `${project.path}/tickets/bulk`, {
    action: "close",
    ticket_ids,
    resolution_type: "duplicate",
  });
  await harness.now.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into ticket_duplicates (ticket_id, project_id, duplicate_of)
      select id, project_id, ${original.id}::uuid from tickets where id = any (${ticket_ids}::uuid[])`;
  });
  const first = (await call("GET", `${original.path}/duplicates?limit=2`)).body;
  const rest = (await call("GET", `${original.path}/duplicates?limit=2&cursor=${first.next_cursor}`)).body;
  const refs = [...first.duplicates, ...rest.duplicates].map(({ ticket_ref }) => ticket_ref);
  expect([first.duplicates.length, refs, rest.next_cursor]).toEqual([2, twins.map(({ ref }) => ref), null]);
});
