/** Values for a tool's arguments: a ticket of the project with one pending task. */
export interface Sample {
  project: string;
  ticket: string;
  taskId: string;
}

/** Arguments with which each tool works. A tool without a sample fails the generated tests. */
export const SAMPLES: Record<string, (sample: Sample) => Record<string, unknown>> = {
  get_context: () => ({}),
  find_tickets: ({ project }) => ({ project }),
  get_ticket: ({ ticket }) => ({ ticket }),
  create_ticket: ({ project }) => ({
    project,
    title: "Upload fails for files over 2 GB",
    description: "The upload stops at 2,147,483,647 bytes.",
    type: "bug",
    roles: ["backend"],
    priority: "high",
    blocking: false,
  }),
  update_ticket: ({ ticket }) => ({ ticket, priority: "high" }),
  set_role: ({ ticket }) => ({ ticket, role: "backend", status: "in_progress" }),
  move_tickets: ({ ticket }) => ({ tickets: [ticket], action: "move", stage: "up_next" }),
  find_tasks: ({ project }) => ({ project }),
  claim_task: ({ ticket, taskId }) => ({ ticket, task_id: taskId, agent: "sample" }),
  update_task: ({ ticket, taskId }) => ({ ticket, task_id: taskId, status: "in_progress", agent: "sample" }),
  renew_claim: ({ ticket, taskId }) => ({ ticket, task_id: taskId, agent: "sample" }),
  add_tasks: ({ ticket }) => ({ ticket, tasks: [{ title: "Stream the upload", role: "backend" }] }),
  add_test_case: ({ ticket }) => ({ ticket, title: "Upload 3 GB", instruction: "Compare the checksums." }),
  comment: ({ ticket }) => ({ ticket, body: "The proxy cuts the connection." }),
  ask_human: ({ ticket }) => ({
    ticket,
    question: "Which limit shall uploads have?",
    options: ["2 GB", "None"],
  }),
  wait_for: ({ ticket }) => ({ ticket, version: 1, wait_seconds: 0 }),
};
