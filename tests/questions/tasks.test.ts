import { describe, expect, test } from "vitest";
import { makeKey, makeMember } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { useTalk } from "../talk.ts";

const harness = useHarness();
const talk = useTalk(harness);

async function asked(fields: Record<string, unknown> = {}, caller: { token: string } = talk.annsKey) {
  const ticket = await talk.newTicket();
  const task = await talk.claimedTask(ticket, caller);
  const question = await talk.ask(ticket, { task_id: task.id, ...fields }, caller);
  return { ticket, task, question };
}

describe("a question on a task", () => {
  test("blocks it with the prompt as the reason and keeps its claim without a running lease", async () => {
    const { task, question } = await asked();
    expect(await talk.done("GET", task.path)).toMatchObject({
      status: "blocked",
      blocking_reason: question.prompt,
      assignee_user_id: talk.ann.id,
      assignee_session_id: talk.annsKey.id,
      lease_expires_at: null,
      version: 3,
    });
    await harness.now.run("end-leases");
    expect((await talk.done("GET", task.path)).status).toBe("blocked");
  });

  test("cuts a reason that is longer than a reason may be", async () => {
    const { task } = await asked({ prompt: "\u{1F600}".repeat(5000) });
    expect((await talk.done("GET", task.path)).blocking_reason).toBe("\u{1F600}".repeat(2000));
  });

  test.each(
    [
      ["answer", { text: "So" }],
      ["withdraw", {}],
    ] as const,
  )("puts it back in progress under the same claim with a new lease by its %s", async (action, body) => {
    const { task, question } = await asked();
    const who = action === "answer" ? talk.ben : talk.annsKey;
    await talk.done("POST", `${question.path}/${action}`, body, who);
    const after = await talk.done("GET", task.path);
    expect(after).toMatchObject({
      status: "in_progress",
      blocking_reason: null,
      assignee_session_id: talk.annsKey.id,
      version: 4,
    });
    expect(Date.parse(after.lease_expires_at)).toBeGreaterThan(Date.now() + 10 * 60_000);
    await talk.done("POST", `${task.path}/heartbeat`, {}, talk.annsKey);
  });

  test("gives it free when its claimant is gone: left the project, was deactivated, or lost the key", async () => {
    const { project, ben } = talk;
    const leave = {
      left: (user: { id: string }) =>
        talk.done("DELETE", `${project.path}/members/${user.id}`, undefined, project.admin),
      deactivated: (user: { id: string }) =>
        talk.done("DELETE", `/users/${user.id}`, undefined, project.admin),
      revoked: (_: { id: string }, key: { id: string }) =>
        talk.done("DELETE", `/keys/${key.id}`, undefined, project.admin),
    };
    for (const gone of Object.values(leave)) {
      const user = await makeMember(harness.now, project, "member");
      const key = await makeKey(harness.now, user);
      const { task, question } = await asked({}, key);
      await gone(user, key);
      await talk.done("POST", `${question.path}/answer`, { text: "So" }, ben);
      expect(await talk.done("GET", task.path)).toMatchObject({
        status: "pending",
        assignee_user_id: null,
        assignee_session_id: null,
        started_at: null,
        blocking_reason: null,
      });
    }
  });

  test("gives it free when the key of a named claim has ended", async () => {
    const user = await makeMember(harness.now, talk.project, "member");
    const key = await makeKey(harness.now, user);
    const ticket = await talk.newTicket();
    const { id } = await talk.done("POST", `${ticket.path}/tasks`, { title: "Upload", role: "backend" });
    const question = await talk.ask(ticket, { task_id: id, session_id: "a" }, key);
    await talk.done("DELETE", `/keys/${key.id}`, undefined, talk.project.admin);
    await talk.done("POST", `${question.path}/answer`, { text: "So" }, talk.ben);
    expect(await talk.done("GET", `${ticket.path}/tasks/${id}`)).toMatchObject({
      status: "pending",
      assignee_user_id: null,
      assignee_session_id: null,
    });
  });

  test("leaves a person's claim without a lease, as every claim of a person", async () => {
    const { task, question } = await asked({}, talk.ann);
    await talk.done("POST", `${question.path}/answer`, { text: "So" }, talk.ben);
    expect(await talk.done("GET", task.path)).toMatchObject({
      status: "in_progress",
      assignee_user_id: talk.ann.id,
      lease_expires_at: null,
    });
  });

  test("that nobody had begun makes it pending again, for whom it was assigned to", async () => {
    const ticket = await talk.newTicket();
    const body = { title: "Upload", role: "backend", assignee_user_id: talk.ben.id };
    const { id } = await talk.done("POST", `${ticket.path}/tasks`, body);
    const question = await talk.ask(ticket, { task_id: id }, talk.ann);
    expect((await talk.done("GET", `${ticket.path}/tasks/${id}`)).status).toBe("blocked");
    await talk.done("POST", `${question.path}/answer`, { text: "So" }, talk.ben);
    expect(await talk.done("GET", `${ticket.path}/tasks/${id}`)).toMatchObject({
      status: "pending",
      assignee_user_id: talk.ben.id,
    });
  });

  test("beside another one: it waits until the last of them has ended", async () => {
    const { ticket, task, question } = await asked();
    const second = await talk.ask(ticket, { task_id: task.id, prompt: "And the colour?" }, talk.annsKey);
    await talk.done("POST", `${question.path}/answer`, { text: "So" });
    expect(await talk.done("GET", task.path)).toMatchObject({
      status: "blocked",
      blocking_reason: "And the colour?",
    });
    await talk.done("POST", `${second.path}/answer`, { text: "Blue" });
    expect((await talk.done("GET", task.path)).status).toBe("in_progress");
  });

  test("superseded by another one keeps it blocked, under the new prompt", async () => {
    const { task, question } = await asked();
    const next = await talk.done("POST", `${question.path}/supersede`, { prompt: "Or else?" }, talk.annsKey);
    expect(next.task_id).toBe(task.id);
    expect(await talk.done("GET", task.path)).toMatchObject({
      status: "blocked",
      blocking_reason: "Or else?",
    });
    await talk.done("POST", `${question.path.replace(question.id, next.id)}/answer`, { text: "So" });
    expect((await talk.done("GET", task.path)).status).toBe("in_progress");
  });

  test("leaves a task as it is that somebody has blocked, begun again or finished by hand", async () => {
    const { ticket, task, question } = await asked();
    await talk.done("PATCH", task.path, { status: "in_progress" });
    await talk.done("PATCH", task.path, { status: "done" });
    await talk.done("POST", `${question.path}/answer`, { text: "So" });
    expect((await talk.done("GET", task.path)).status).toBe("done");
    const refused = await talk.call("POST", `${ticket.path}/questions`, { prompt: "?", task_id: task.id });
    expect(refused.body.code).toBe("invalid_transition");
    const other = await talk.claimedTask(ticket);
    await talk.done("PATCH", other.path, { status: "blocked", blocking_reason: "The supplier" });
    const beside = await talk.ask(ticket, { task_id: other.id });
    await talk.done("POST", `${beside.path}/answer`, { text: "So" });
    expect(await talk.done("GET", other.path)).toMatchObject({
      status: "blocked",
      blocking_reason: "The supplier",
    });
  });

  test("of an agent claims a free task, and is refused for a task that another holds", async () => {
    const ticket = await talk.newTicket();
    const { id } = await talk.done("POST", `${ticket.path}/tasks`, { title: "Upload", role: "backend" });
    const path = `${ticket.path}/tasks/${id}`;
    const question = await talk.ask(ticket, { task_id: id, session_id: "a" }, talk.annsKey);
    expect(await talk.done("GET", path)).toMatchObject({
      status: "blocked",
      assignee_user_id: talk.ann.id,
      assignee_session_id: "a",
    });
    for (const [session_id, caller] of [["b", talk.annsKey], ["a", talk.bensKey]] as const) {
      const body = { prompt: "And I?", task_id: id, session_id };
      const refused = await talk.call("POST", `${ticket.path}/questions`, body, caller);
      expect([refused.status, refused.body.code]).toEqual([409, "already_claimed"]);
    }
    await talk.done("POST", `${question.path}/answer`, { text: "So" }, talk.ben);
    expect(await talk.done("GET", path)).toMatchObject({ status: "in_progress", assignee_session_id: "a" });
    const foreign = { prompt: "And I?", task_id: id };
    const refused = await talk.call("POST", `${ticket.path}/questions`, foreign, talk.bensKey);
    expect([refused.status, refused.body.code]).toEqual([409, "already_claimed"]);
  });

  test("outlives the task, when that is deleted", async () => {
    const { task, question } = await asked();
    await talk.done("DELETE", task.path);
    expect(await talk.done("GET", question.path)).toMatchObject({ status: "pending", task_id: null });
    await talk.done("POST", `${question.path}/answer`, { text: "So" });
  });

  test("goes back to work when the ticket closes, and a claim at the same moment finds one or the other", async () => {
    const { ticket, task, question } = await asked();
    const [closed, claimed] = await Promise.all([
      talk.call("PATCH", ticket.path, { status: "closed" }, talk.ben),
      talk.call("POST", `${task.path}/claim`, {}, talk.bensKey),
    ]);
    expect([closed.status, claimed.status]).toEqual([200, 409]);
    expect((await talk.done("GET", question.path)).status).toBe("withdrawn");
    expect((await talk.done("GET", task.path)).status).toBe("in_progress");
  });
});
