import { z } from "zod";
import { TaskStatus } from "../tasks/schema.ts";
import { Agent, Ref, TaskId } from "./_fields.ts";
import { defineTool } from "./tool.ts";

export const renewClaim = defineTool({
  name: "renew_claim",
  title: "Keep or give back a claim",
  description:
    "Keeps your claim of a task for another 15 minutes, or gives it back so that others may claim the task.",
  calls: ["tasks.heartbeat", "tasks.release"],
  input: z.strictObject({
    ticket: Ref.optional(),
    task_id: TaskId,
    give_back: z.boolean().default(false),
    agent: Agent,
  }),
  output: z.object({ task_id: z.string(), status: TaskStatus, lease_expires_at: z.string().nullable() }),
  async run({ call, locateTask }, { ticket, task_id, give_back, agent }) {
    const { path, name } = await locateTask({ ticket, task_id });
    const claim = { ...path, session_id: agent };
    const { status, lease_expires_at } = await call(give_back ? "tasks.release" : "tasks.heartbeat", claim);
    return { task_id: name, status, lease_expires_at };
  },
});
