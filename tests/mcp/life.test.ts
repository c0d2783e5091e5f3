import { beforeAll, describe, expect, test } from "vitest";
import { makeKey, makeMember, type TestUser, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { Agent, ERAS } from "./_agent.ts";

const harness = useHarness();
const project = useProject(harness);
let person: TestUser;

beforeAll(async () => {
  person = await makeMember(harness.now, project, "member");
});

/** A call of the person over REST, below the project's path. */
async function byPerson(method: string, path: string, body?: Record<string, unknown>) {
  const answer = await harness.now.call(method, `${project.path}${path}`, { token: person.token, body });
  if (answer.status >= 400) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

/** Bytes of arguments and answers that a model sees in a whole life: at most 3,000 tokens of o200k. */
const MAX_LIFE_BYTES = 3_000 * 3.1;

describe.each(ERAS)("in the %s era", (era) => {
  test("an agent does its whole part, and a person theirs", async () => {
    const { token } = await makeKey(harness.now, project.admin);
    const agent = await Agent.connect(harness.now, token, era);
    let bytes = 0;
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const answer = await agent.call(name, args);
      bytes += answer.bytes + JSON.stringify(args).length;
      return answer;
    };
    const act = async (name: string, args: Record<string, unknown> = {}) => {
      const { isError, body } = await call(name, args);
      if (isError) throw new Error(`${name}: ${JSON.stringify(body)}`);
      return body;
    };

    await act("get_context");
    const draft = {
      project: project.key,
      title: "Upload fails for files over 2 GB",
      description: "The upload stops at 2,147,483,647 bytes and the browser shows a network error.",
      type: "bug",
      roles: ["backend"],
      priority: "high",
      blocking: true,
      idempotency_key: `upload-${era}`,
    };
    const { ref } = await act("create_ticket", draft);
    expect(await act("create_ticket", draft)).toMatchObject({ ref, replayed: true });
    await act("add_tasks", {
      ticket: ref,
      tasks: [
        {
          title: "Stream the upload",
          role: "backend",
          criteria: ["3 GB arrives whole", "memory stays flat"],
        },
        { title: "Show progress", role: "backend", after: [1] },
      ],
    });

    expect((await act("find_tasks", { project: project.key, ready: true })).tasks).toHaveLength(1);
    const first = await act("claim_task", { ticket: ref, agent: era });
    expect(first).toMatchObject({ title: "Stream the upload", ticket: ref });
    expect(await act("claim_task", { ticket: ref, task_id: first.task_id, agent: era })).toEqual(first);
    expect((await call("claim_task", { ticket: ref, task_id: first.task_id, agent: "another" })).body)
      .toMatchObject({ code: "already_claimed" });

    const asked = await act("ask_human", {
      ticket: ref,
      question: "Which limit shall uploads have?",
      options: ["10 GB", "50 GB"],
      task_id: first.task_id,
      agent: era,
      idempotency_key: `limit-${era}`,
    });
    const { question_id } = asked;
    expect(await act("wait_for", { ticket: ref, question_id, wait_seconds: 0 })).toMatchObject({
      done: false,
    });
    const waiting = act("wait_for", { ticket: ref, question_id });
    const { id } = await byPerson("GET", `/tickets/${ref}`);
    await byPerson("POST", `/tickets/${id}/questions/${question_id}/answer`, {
      option_ids: ["2"],
      text: "For paying accounts only.",
    });
    expect(await waiting).toMatchObject({
      done: true,
      question: { status: "answered", answer: { chosen: ["50 GB"], text: "For paying accounts only." } },
    });
    expect((await act("get_context")).answered).toMatchObject([{ question_id, ticket: ref }]);

    const going = await act("get_ticket", { ticket: ref, task_id: first.task_id });
    expect(going.task).toMatchObject({ status: "in_progress" });
    expect(going.task.lease_expires_at).toBeDefined();
    await act("update_task", {
      ticket: ref,
      task_id: first.task_id,
      agent: era,
      status: "done",
      criteria_done: [1, 2],
      summary: "Streams in parts of 8 MiB",
    });
    const second = await act("claim_task", { project: project.key, agent: era });
    expect(second.title).toBe("Show progress");
    await act("update_task", { task_id: second.task_id, agent: era, status: "done" });
    await act("add_test_case", { ticket: ref, title: "Upload 3 GB", instruction: "Compare the checksums." });
    await act("set_role", { ticket: ref, role: "backend", status: "done" });
    await act("update_ticket", { ticket: ref, stage: "validation" });
    expect((await call("update_ticket", { ticket: ref, stage: "live" })).body).toMatchObject({
      code: "human_tests_pending",
    });

    const { cases } = await byPerson("GET", `/tickets/${id}/test-cases`);
    const approval = `/tickets/${id}/test-cases/${cases[0].id}/approve`;
    const refused = await harness.now.call("POST", `${project.path}${approval}`, { token, body: {} });
    expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
    await byPerson("POST", approval, {});
    expect(await act("update_ticket", { ticket: ref, stage: "live" })).toMatchObject({ status: "closed" });
    expect(bytes).toBeLessThanOrEqual(MAX_LIFE_BYTES);
    await agent.close();
  });
});
