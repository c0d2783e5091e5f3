import { z } from "zod";
import { Role } from "../core/schema.ts";
import { CreateTicket, Priority, Stage } from "../tickets/schema.ts";
import { Agent, ProjectKey } from "./_fields.ts";
import { Labels, PlanInput, plannedWith } from "./_plan.ts";
import { defineTool } from "./tool.ts";

const shape = CreateTicket.shape;

export const createTicket = defineTool({
  name: "create_ticket",
  title: "Hand work over",
  description:
    "Creates a ticket and names the open tickets that it resembles. If one of them is the same, tell your user. " +
    "To ask a person use ask_human. Send an idempotency_key, so that a repeated call creates nothing twice.",
  calls: ["tickets.create"],
  optional: ["projects.people", "milestones.list", "columns.list"],
  input: z.strictObject({
    project: ProjectKey,
    title: shape.title,
    description: shape.description,
    type: z.enum(["bug", "feature_request"], {
      error: "Expected bug or feature_request. To ask a person for a decision or a fact, use ask_human",
    }),
    roles: z.array(Role).min(1).max(Role.options.length),
    priority: Priority,
    blocking: z.boolean(),
    suggested_resolution: shape.suggested_resolution,
    implementation_notes: shape.implementation_notes,
    evidence: shape.evidence,
    labels: Labels,
    ...PlanInput,
    agent: Agent,
    idempotency_key: shape.idempotency_key,
  }),
  output: z.object({
    ref: z.string(),
    url: z.string(),
    replayed: z.boolean().describe("An earlier call with this idempotency_key created it"),
    similar: z.array(z.object({ ref: z.string(), title: z.string(), similarity: z.number(), stage: Stage })),
  }),
  async run(
    caller,
    { project: key, type, agent, assignee, due_on, estimate, milestone, column, parent, ...draft },
  ) {
    const { call, userId } = caller;
    const { id } = await caller.project(key);
    const { ticket, similar_existing = [], _idempotent_replay: replayed = false } = await call(
      "tickets.create",
      {
        id,
        request_type: type,
        source: "mcp",
        actor_role: "agent",
        actor_id: agent ?? userId,
        ...draft,
        ...await plannedWith(
          caller,
          id,
          { assignee, due_on, estimate, milestone, column, parent },
          "backlog",
        ),
      },
    );
    const similar = similar_existing.slice(0, 5).map(({ ticket_ref: ref, title, similarity, stage }) => (
      { ref, title, similarity, stage }
    ));
    return { ref: ticket.ticket_ref, url: ticket.url, replayed, similar };
  },
});
