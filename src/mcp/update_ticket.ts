import { z } from "zod";
import { Role } from "../core/schema.ts";
import { ResolutionType, Stage, Status, UpdateTicket } from "../tickets/schema.ts";
import { Ref, Version } from "./_fields.ts";
import { linkBlockers, Refs } from "./_links.ts";
import { nextStep } from "./_next.ts";
import { Labels, PlanInput, plannedWith } from "./_plan.ts";
import { rolesOf } from "./_rows.ts";
import { defineTool } from "./tool.ts";

const shape = UpdateTicket.shape;

export const updateTicket = defineTool({
  name: "update_ticket",
  title: "Change or close a ticket",
  description:
    "Changes the fields that you send. stage live closes the ticket: its roles must be finished and its " +
    "test cases approved by a person.",
  calls: ["tickets.update"],
  optional: ["projects.people", "milestones.list", "columns.list", "links.create"],
  idempotent: true,
  input: z.strictObject({
    ticket: Ref,
    version: Version,
    title: shape.title,
    description: shape.description,
    priority: shape.priority,
    add_labels: Labels,
    remove_labels: Labels,
    ...PlanInput,
    add_blockers: Refs,
    duplicate_of: Ref.optional(),
    blocking: shape.blocking,
    roles: z.array(Role).max(Role.options.length).optional().describe("The complete new list of roles"),
    suggested_resolution: UpdateTicket.shape.suggested_resolution.unwrap().unwrap().optional(),
    evidence: UpdateTicket.shape.evidence.unwrap().unwrap().optional().describe("Replaces the evidence"),
    implementation_notes: UpdateTicket.shape.implementation_notes.unwrap().unwrap().optional(),
    stage: Stage.optional(),
    merge_sha: shape.merge_sha.unwrap().unwrap().optional(),
    resolution_type: ResolutionType.optional(),
    resolution_note: shape.resolution_note.unwrap().unwrap().optional(),
  }),
  output: z.object({
    ref: z.string(),
    version: z.int(),
    stage: Stage,
    status: Status,
    roles: z.array(z.string()),
    unfinished_tasks: z.array(z.string()).optional().describe(
      "Tasks that were unfinished when you closed the ticket",
    ),
    next: z.string().optional(),
  }),
  async run(
    caller,
    {
      ticket: ref,
      version,
      assignee,
      due_on,
      estimate,
      milestone,
      column,
      parent,
      add_blockers,
      ...changes
    },
  ) {
    const address = await caller.locate(ref);
    const given = { assignee, due_on, estimate, milestone, column, parent };
    const plan = await plannedWith(caller, address.id, given, changes.stage);
    const ticket = await caller.call("tickets.update", { ...address, ...changes, ...plan }, {
      ifMatch: version,
    });
    await linkBlockers(caller, address, add_blockers);
    const { ticket_ref, stage, status, unfinished_tasks: left } = ticket;
    return {
      ref: ticket_ref,
      version: ticket.version,
      stage,
      status,
      roles: rolesOf(ticket),
      ...(changes.stage !== undefined && { next: nextStep(ticket) }),
      ...(left &&
        { unfinished_tasks: left.map(({ name, title, status }) => `${name} ${title} (${status})`) }),
    };
  },
});
