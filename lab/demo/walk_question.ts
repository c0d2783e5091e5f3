import type { Question, QuestionPath } from "../../src/questions/schema.ts";
import type { WaitingItem } from "../../src/waiting/schema.ts";
import { chapter } from "./print.ts";
import { openProject } from "./project.ts";
import type { Stage } from "./stage.ts";

/**
 * Chapter three: an agent needs a decision. It waits, a person decides, and the agent goes on by
 * itself.
 */
export async function walkQuestion(stage: Stage): Promise<void> {
  const { agent, rest } = stage;
  chapter("An agent asks, a person answers, the agent goes on");
  const { id } = await openProject(rest, "Walk");
  const { ticket, task } = await claimTask(stage, id);
  const place = { id, ticketId: ticket.id };
  const { id: questionId, prompt } = await agent.api.questions.create.mutate({
    ...place,
    ...DECISION,
    task_id: task.id,
  });
  console.log(
    `   ${ticket.ticket_ref}: the agent asks "${prompt}"; ${await stateOfTask(stage, place, task.id)}`,
  );

  const path = { ...place, questionId };
  const answer = waitForAnswer(stage, path);
  const item = await findWaiting(stage, path);
  console.log(
    `   A person's waiting list: ${item.kind} "${item.title}", ${item.blocks.tasks} task waits for it`,
  );
  await stage.people.api.questions.answer.mutate({ ...path, option_ids: ["parts"], text: "16 MB each" });
  const { answer: given } = await answer;
  console.log(`   The agent's wait ends: ${given?.option_ids} (${given?.text}), by a ${given?.by}`);
  console.log(`   ${ticket.ticket_ref}: ${await stateOfTask(stage, place, task.id)}`);
  await agent.api.tasks.update.mutate({ ...place, taskId: task.id, status: "done" });
  console.log(`   The agent finishes: ${await stateOfTask(stage, place, task.id)}`);
}

const DECISION = {
  kind: "decision" as const,
  prompt: "Which limit shall uploads have?",
  context: "The proxy cuts connections after **2 GB**.",
  options: [{ id: "parts", label: "No limit: upload in parts" }, {
    id: "2gb",
    label: "2 GB, with a clear message",
  }],
};

async function claimTask({ agent }: Stage, id: string) {
  const { ticket } = await agent.api.tickets.create.mutate({
    id,
    title: "Say how large an upload may be",
    description: "Nobody can tell before the upload fails.",
    request_type: "bug",
    priority: "medium",
    blocking: false,
    roles: ["backend"],
  });
  const task = await agent.api.tasks.create.mutate({
    id,
    ticketId: ticket.id,
    title: "Check the size before the upload",
    role: "backend",
  });
  await agent.api.tasks.claim.mutate({ id, ticketId: ticket.id, taskId: task.id });
  return { ticket, task };
}

/** Waits as an agent does: each call lasts as long as a call may, and the next one goes on. */
async function waitForAnswer({ agent }: Stage, path: QuestionPath): Promise<Question> {
  for (;;) {
    const question = await agent.api.questions.get.query({ ...path, wait: "50" });
    if (question.status !== "pending") return question;
  }
}

async function findWaiting({ people }: Stage, { id, questionId }: QuestionPath): Promise<WaitingItem> {
  const { waiting } = await people.api.waiting.list.query({ project_id: id, kind: "question", limit: "200" });
  const item = waiting.find((one) => one.id === questionId);
  if (!item) throw new Error("The question is not in the waiting list");
  return item;
}

async function stateOfTask({ people }: Stage, place: { id: string; ticketId: string }, taskId: string) {
  const { title, status } = await people.api.tasks.get.query({ ...place, taskId });
  return `task "${title}" is ${status}`;
}
