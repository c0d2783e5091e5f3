import { z } from "zod";
import { invalidField } from "../core/errors.ts";
import { nameKey, nearestInWords } from "../core/names.ts";
import { text } from "../core/schema.ts";
import { MAX_TICKET_LABELS } from "../labels/schema.ts";
import type { Stage, Ticket, TicketSummary } from "../tickets/schema.ts";
import { findPerson } from "./_people.ts";
import type { Caller } from "./tool.ts";

/** In place of a value, this word clears a field. */
const NONE = "none";

/** Fields with which an agent plans a ticket. People and milestones have names here. */
export const PlanInput = {
  assignee: text(1, 320).optional().describe("Name, e-mail, me or none"),
  due_on: z.string().regex(/^(\d{4}-\d\d-\d\d|none)$/, "Expected a day such as 2026-12-31, or none")
    .optional(),
  estimate: z.number().min(0).max(10_000).optional(),
  milestone: text(1, 100).optional().describe("Name or none"),
  column: text(1, 40).optional(),
  parent: z.string().regex(/^([A-Za-z][A-Za-z0-9]{1,9}-[1-9]\d{0,8}|none)$/, "Expected a ref or none")
    .optional(),
};
export const Labels = z.array(text(1, 50)).max(MAX_TICKET_LABELS).optional();

type Given = z.infer<z.ZodObject<typeof PlanInput>>;
type Planning = Pick<Caller<"projects.people" | "milestones.list" | "columns.list">, "call" | "userId">;

/** Finds what the names name. A column's name is looked for in a stage, or in all. @throws {AppError} invalid_request that lists what fits */
export async function plannedWith(
  caller: Planning,
  projectId: string,
  { assignee, due_on, estimate, milestone, column, parent }: Given,
  stage?: Stage,
) {
  return {
    ...(assignee !== undefined && { assignee_user_id: await assigneeOf(caller, projectId, assignee) }),
    ...(due_on !== undefined && { due_on: due_on === NONE ? null : due_on }),
    ...(estimate !== undefined && { estimate }),
    ...(parent !== undefined && { parent_id: parent === NONE ? null : parent }),
    ...(column !== undefined &&
      { column_id: await columnNamed(caller, { projectId, named: column, stage }) }),
    ...(milestone !== undefined && { milestone_id: await milestoneOf(caller, projectId, milestone) }),
  };
}

async function assigneeOf(caller: Planning, projectId: string, named: string): Promise<string | null> {
  if (named === NONE) return null;
  if (named === "me") return caller.userId;
  return (await findPerson(caller, { projectId, named, field: "assignee" })).id;
}

async function milestoneOf({ call }: Planning, projectId: string, named: string): Promise<string | null> {
  if (named === NONE) return null;
  const { milestones } = await call("milestones.list", { id: projectId });
  const found = milestones.find(({ name }) => nameKey(name) === nameKey(named));
  if (found) return found.id;
  throw invalidField(
    "milestone",
    `The project has no such milestone; ${nearestInWords(named, milestones.map(({ name }) => name))}`,
  );
}

async function columnNamed(
  { call }: Planning,
  { projectId, named, stage }: { projectId: string; named: string; stage: Stage | undefined },
): Promise<string> {
  const { columns } = await call("columns.list", { id: projectId });
  const possible = columns.filter((column) => stage === undefined || column.stage === stage);
  const [found, twin] = possible.filter(({ name }) => nameKey(name) === nameKey(named));
  if (found && !twin) return found.id;
  throw invalidField(
    "column",
    twin
      ? "Several stages have a column of this name; send the stage too"
      : `There is no such column; ${nearestInWords(named, possible.map(({ name }) => name))}`,
  );
}

/** The planning fields of a row, of which those that are not set are left out. */
export const PlanRow = {
  assignee: z.string().nullable(),
  labels: z.array(z.string()).optional(),
  due_on: z.string().nullable(),
  open_blockers: z.int().optional().describe("Tickets for which it waits"),
};

export function planRow(
  { assignee, labels, due_on, open_blockers }: TicketSummary,
): z.infer<z.ZodObject<typeof PlanRow>> {
  return {
    assignee: assignee?.name ?? null,
    ...(labels.length > 0 && { labels: labels.map(({ name }) => name) }),
    due_on,
    ...(open_blockers > 0 && { open_blockers }),
  };
}

/** The planning fields of a whole ticket. */
export const WholePlan = {
  ...PlanRow,
  start_on: z.string().nullable(),
  estimate: z.number().nullable(),
  milestone: z.string().nullable(),
  column: z.string().optional(),
  parent: z.string().nullable(),
  children: z.string().optional().describe("Closed ones and all"),
};

export function wholePlan(ticket: Ticket): z.infer<z.ZodObject<typeof WholePlan>> {
  const { start_on, estimate, milestone_name: milestone, parent_ref: parent, children: { open, total } } =
    ticket;
  const children = total > 0 && { children: `${total - open}/${total}` };
  return { ...planRow(ticket), start_on, estimate, milestone, parent, ...children };
}
