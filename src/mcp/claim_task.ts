import { z } from "zod";
import { AppError } from "../core/errors.ts";
import { Role } from "../core/schema.ts";
import type { Task } from "../tasks/schema.ts";
import { Agent, ProjectKey, Ref, TaskId } from "./_fields.ts";
import { HeldTask, heldTask } from "./_rows.ts";
import { type Caller, defineTool, type TicketAddress } from "./tool.ts";

/**
 * The number of ready tasks that are tried before the call gives up, because other agents claim at
 * the same moment.
 */
const MAX_TRIES = 20;

type Claiming = Caller<"tasks.claim" | "tasks.listOfProject">;

export const claimTask = defineTool({
  name: "claim_task",
  title: "Claim a task",
  description:
    "Claims the task that you name, or the oldest ready task of the ticket or project. Nobody else gets it for " +
    "15 minutes; update_task, wait_for and renew_claim extend that. Claiming again what you hold returns it.",
  calls: ["tasks.claim", "tasks.listOfProject"],
  others: ["title", "body", "criteria"],
  input: z.strictObject({
    ticket: Ref.optional(),
    task_id: TaskId.optional(),
    project: ProjectKey,
    role: Role.optional(),
    agent: Agent,
  }),
  output: HeldTask,
  async run(caller, { ticket, task_id, project, role, agent }) {
    if (task_id !== undefined) {
      const { path, ref } = await caller.locateTask({ ticket, task_id });
      return heldTask(await claim(caller, path, agent), ref);
    }
    return await claimNext(caller, { ticket, project, role }, agent);
  },
});

/** Claims the oldest ready task that nobody else claims first. */
async function claimNext(
  caller: Claiming,
  { ticket, project, role }: {
    ticket?: string | undefined;
    project?: string | undefined;
    role?: Role | undefined;
  },
  agent: string | undefined,
) {
  const { id, ticketId: ref } = ticket
    ? await caller.locate(ticket)
    : { ...await caller.project(project), ticketId: undefined };
  for (let tried = 0, cursor: string | null | undefined; tried < MAX_TRIES && cursor !== null;) {
    const page = await caller.call("tasks.listOfProject", { id, ready: true, role, cursor, limit: 50 });
    for (const task of page.tasks.filter((task) => ref === undefined || task.ticket_ref === ref)) {
      const address = { id, ticketId: task.handoff_request_id, taskId: task.id };
      const claimed = await claim(caller, address, agent).catch(lostTheRace);
      if (claimed) return heldTask(claimed, task.ticket_ref);
      if (++tried === MAX_TRIES) break;
    }
    cursor = page.next_cursor;
  }
  throw new AppError("not_found", "No task is ready to be claimed");
}

/**
 * Another agent was quicker, or the task has changed since it was listed. The next task is tried.
 */
function lostTheRace(error: unknown): null {
  const codes = ["already_claimed", "conflict", "dependencies_unfinished", "invalid_transition", "not_found"];
  if (error instanceof AppError && codes.includes(error.code)) return null;
  throw error;
}

/**
 * Returns the claim that the caller already holds, because an agent that didn't get the answer to
 * its first call claims again.
 */
async function claim(
  caller: Claiming,
  address: TicketAddress & { taskId: string },
  agent: string | undefined,
) {
  try {
    return await caller.call("tasks.claim", { ...address, session_id: agent });
  } catch (error) {
    const held = error instanceof AppError && error.code === "already_claimed"
      ? error.fields.details?.current
      : null;
    if (!held) throw error;
    const task = held as Task;
    const isMine = task.assignee_user_id === caller.userId &&
      task.assignee_session_id === (agent ?? caller.credentialId) && task.status === "in_progress";
    if (!isMine) throw error;
    return task;
  }
}
