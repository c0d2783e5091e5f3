import { z } from "zod";
import { AppError } from "../core/errors.ts";
import { Role } from "../core/schema.ts";
import type { Task, TaskPath } from "../tasks/schema.ts";
import { RequestType, Stage } from "../tickets/schema.ts";
import { bytesOf, cutText } from "./_budget.ts";
import { Agent, ProjectKey, Ref, TaskId } from "./_fields.ts";
import { HeldTask, heldTask, rolesOf } from "./_rows.ts";
import { howToRead } from "./_texts.ts";
import { type Caller, defineTool, type TicketAddress } from "./tool.ts";

/** The most bytes of the ticket's description. It is enough to begin with most tickets. */
const DESCRIPTION_BYTES = 1_500;
/** A large task leaves less room for the ticket. */
const ANSWER_BYTES = 21_000;
const MIN_DESCRIPTION_BYTES = 100;

type Claiming = Caller<"tasks.claim" | "tasks.claimNext" | "tickets.get">;

export const claimTask = defineTool({
  name: "claim_task",
  title: "Claim a task",
  description:
    "Claims the task that you name, or the oldest ready task of the ticket or project, for 15 minutes; update_task, " +
    "wait_for and renew_claim extend that. claimed is false if nothing is ready.",
  calls: ["tasks.claim", "tasks.claimNext"],
  optional: ["tickets.get"],
  others: ["title", "body", "criteria", "about.title", "about.description"],
  input: z.strictObject({
    ticket: Ref.optional(),
    task_id: TaskId.optional(),
    project: ProjectKey,
    role: Role.optional(),
    agent: Agent,
  }),
  output: HeldTask.partial().extend({
    claimed: z.boolean(),
    about: z.object({
      title: z.string(),
      type: RequestType,
      stage: Stage,
      version: z.int(),
      roles: z.array(z.string()),
      description: z.string(),
    }).optional().describe("The ticket"),
    reason: z.string().optional().describe("Why nothing is ready"),
    next: z.string().optional(),
  }),
  async run(caller, { ticket, task_id, project, role, agent: session_id }) {
    if (task_id !== undefined) {
      const { path, ref } = await caller.locateTask({ ticket, task_id });
      const task = await claimNamed(caller, { ...path, session_id });
      return await withTicket(caller, path, heldTask(task, ref));
    }
    const { id, ticketId } = ticket
      ? await caller.locate(ticket)
      : { ...await caller.project(project), ticketId: undefined };
    const { claimed, none } = await caller.call("tasks.claimNext", {
      id,
      ticket_id: ticketId,
      role,
      session_id,
    });
    if (!claimed) {
      return { claimed: false, reason: none!.reason, next: "End your turn, or wait_for a change." };
    }
    const path = { id, ticketId: claimed.handoff_request_id };
    return await withTicket(caller, path, heldTask(claimed, claimed.ticket_ref));
  },
});

/**
 * Returns the claim that the caller already holds, because an agent that didn't get the answer to
 * its first call claims again.
 */
async function claimNamed(
  { call }: Claiming,
  claim: TaskPath & { session_id: string | undefined },
): Promise<Task> {
  try {
    return await call("tasks.claim", claim);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "already_claimed") throw error;
    const { current, yours } = error.fields.details as { current: Task; yours: boolean };
    if (!yours || current.assignee_session_id === null) throw error;
    return current;
  }
}

/** Adds the ticket, so that an agent can begin without another call. */
async function withTicket(
  { call, may }: Claiming,
  { id, ticketId }: TicketAddress,
  task: z.infer<typeof HeldTask>,
) {
  if (!may("tickets.get")) return { claimed: true, ...task };
  const ticket = await call("tickets.get", { id, ticketId });
  const { title, request_type: type, stage, version } = ticket;
  const room = Math.max(MIN_DESCRIPTION_BYTES, Math.min(DESCRIPTION_BYTES, ANSWER_BYTES - bytesOf(task)));
  const description = cutText(ticket.description, room, howToRead("description"));
  return {
    claimed: true,
    ...task,
    about: { title, type, stage, version, roles: rolesOf(ticket), description },
  };
}
