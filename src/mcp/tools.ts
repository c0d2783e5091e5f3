import { addTasks } from "./add_tasks.ts";
import { addTestCase } from "./add_test_case.ts";
import { askHuman } from "./ask_human.ts";
import { claimTask } from "./claim_task.ts";
import { comment } from "./comment.ts";
import { createTicket } from "./create_ticket.ts";
import { findTasks } from "./find_tasks.ts";
import { findTickets } from "./find_tickets.ts";
import { getContext } from "./get_context.ts";
import { getTicket } from "./get_ticket.ts";
import { moveTickets } from "./move_tickets.ts";
import { renewClaim } from "./renew_claim.ts";
import { setRole } from "./set_role.ts";
import type { Tool } from "./tool.ts";
import { updateTask } from "./update_task.ts";
import { updateTicket } from "./update_ticket.ts";
import { waitFor } from "./wait_for.ts";

/**
 * Every tool, in the order in which agents see them. The first tools are the ones that an agent
 * needs at the start. No tool approves, deletes or administrates.
 */
export const TOOLS: readonly Tool[] = [
  getContext,
  findTickets,
  getTicket,
  createTicket,
  updateTicket,
  setRole,
  moveTickets,
  findTasks,
  claimTask,
  updateTask,
  renewClaim,
  addTasks,
  addTestCase,
  comment,
  askHuman,
  waitFor,
];
