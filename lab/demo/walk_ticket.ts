import type { Task } from "../../src/tasks/schema.ts";
import type { TicketPath } from "../../src/tickets/schema.ts";
import { chapter } from "./print.ts";
import { openProject } from "./project.ts";
import { refusalOf, type Stage } from "./stage.ts";

/**
 * Chapter two: a ticket with roles, tasks and a human test case goes live, and no step is possible
 * too early.
 */
export async function walkTicket(stage: Stage): Promise<void> {
  const { people, agent, rest } = stage;
  chapter("A ticket's life: roles, tasks, human test cases, gates");
  const project = await openProject(rest, "Walk");
  const place = await handOff(stage, project.id);
  await addWork(stage, place);
  await waitForDesign(stage, place);
  while (await workOnNext(stage, place));
  await agent.api.tickets.finishRole.mutate({ ...place, role: "backend" });
  console.log("   The role backend is finished, qa is not.");

  console.log(`   Move to live: ${await refusedMove(stage, place)}`);
  await people.api.tickets.finishRole.mutate({ ...place, role: "qa" });
  console.log(`   qa finished, move to live: ${await refusedMove(stage, place)}`);
  const { cases: [testCase] } = await people.api.testCases.list.query(place);
  const approval = { ...place, caseId: testCase!.id };
  console.log(`   The agent approves: ${await refusalOf(agent.api.testCases.approve.mutate(approval))}`);
  await people.api.testCases.approve.mutate({ ...approval, note: "3 GB went through" });
  console.log("   A person approves the case.");

  await bulkMove(stage, place);
  const { history } = await people.api.tickets.history.query({ ...place, limit: "200" });
  const actors = new Set(history.map(({ actor }) => actor.kind));
  console.log(`   Its history has ${history.length} entries, by ${[...actors].join(" and ")}.`);
}

async function handOff({ agent }: Stage, id: string): Promise<TicketPath> {
  const { ticket } = await agent.api.tickets.create.mutate({
    id,
    title: "Stream uploads in parts",
    description: "Uploads over 2 GB fail. Send them in parts of 16 MB and put them together on the server.",
    request_type: "bug",
    priority: "high",
    blocking: true,
    roles: ["backend", "qa"],
  });
  console.log(`   ${ticket.ticket_ref} was created by the agent: ${ticket.stage}, ${ticket.status}`);
  return { id, ticketId: ticket.id };
}

async function addWork({ people }: Stage, place: TicketPath): Promise<void> {
  const server = await people.api.tasks.create.mutate({
    ...place,
    title: "Take parts and put them together",
    role: "backend",
    acceptance_criteria: [{ text: "A file of 3 GB arrives whole", done: false }],
  });
  await people.api.tasks.create.mutate({
    ...place,
    title: "Retry a part that fails",
    role: "backend",
    depends_on_task_ids: [server.id],
  });
  await people.api.testCases.create.mutate({
    ...place,
    title: "Upload 3 GB",
    instruction: "Upload a file of 3 GB and compare its checksum with the stored one.",
  });
  console.log("   Two tasks, the second depends on the first, and one human test case.");
}

/** Until the ticket that blocks this one is closed, the agent gets none of its tasks. */
async function waitForDesign({ people, agent }: Stage, place: TicketPath): Promise<void> {
  const { id } = place;
  const { ticket: design } = await people.api.tickets.create.mutate({
    id,
    title: "Decide how large a part is",
    description: "The client and the server must agree on it.",
    request_type: "feature_request",
    priority: "high",
    blocking: false,
  });
  await people.api.links.create.mutate({ ...place, kind: "blocked_by", ticket: design.ticket_ref });
  console.log(
    `   It waits for ${design.ticket_ref}, so the agent asks for its next task: ${await refusalOf(
      agent.api.tasks.next.query({ ...place, role: "backend" }),
    )}`,
  );
  await people.api.tickets.update.mutate({ id, ticketId: design.id, status: "closed" });
  console.log(`   ${design.ticket_ref} is closed.`);
}

/** Lets the agent claim and finish the next free task; returns false if there is none. */
async function workOnNext({ agent }: Stage, place: TicketPath): Promise<boolean> {
  const { tasks } = await agent.api.tasks.list.query(place);
  if (tasks.every(({ status }) => status === "done")) return false;
  const next: Task = await agent.api.tasks.next.query({ ...place, role: "backend" });
  const task = { ...place, taskId: next.id };
  await agent.api.tasks.claim.mutate(task);
  console.log(
    `   The agent claims "${next.title}"; a second claim: ${await refusalOf(
      agent.api.tasks.claim.mutate(task),
    )}`,
  );
  await agent.api.tasks.update.mutate({
    ...task,
    status: "done",
    acceptance_criteria: next.acceptance_criteria.map(({ text }) => ({ text, done: true })),
  });
  return true;
}

async function refusedMove({ people }: Stage, { id, ticketId }: TicketPath): Promise<string> {
  const { errors: [refusal] } = await people.api.tickets.bulk.mutate({
    id,
    action: "move",
    stage: "live",
    ticket_ids: [ticketId],
  });
  if (!refusal) throw new Error("The gates should have refused this move");
  return `${refusal.error} (${refusal.code})`;
}

async function bulkMove({ people }: Stage, { id, ticketId }: TicketPath): Promise<void> {
  const others = await Promise.all(
    ["Rename the upload button", "Show the size of an upload"].map((title) =>
      people.api.tickets.create.mutate({
        id,
        title,
        description: "Goes out together with the new upload.",
        request_type: "feature_request",
        priority: "low",
        blocking: false,
      })
    ),
  );
  const { updated, results } = await people.api.tickets.bulk.mutate({
    id,
    action: "move",
    stage: "live",
    ticket_ids: [ticketId, ...others.map(({ ticket }) => ticket.id)],
  });
  const states = results.map(({ ticket_ref, stage, status }) => `${ticket_ref} ${stage}, ${status}`);
  console.log(`   Bulk move of three to live: ${updated} updated: ${states.join("; ")}`);
}
