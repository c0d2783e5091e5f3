import { expect } from "vitest";
import type { PartName } from "../../src/core/parts.ts";
import { type Harness } from "../harness.ts";
import { type TestProject, type TestTicket } from "../factories.ts";

type Facts = Record<string, unknown>;
export interface HistoryRow {
  id: number;
  at: string;
  actor: { kind: string; id: string };
  request_id: string | null;
  entity: string;
  entity_id: string;
  action: string;
  field: string | null;
  from: unknown;
  to: unknown;
}

/**
 * Fields that the portal shows but history doesn't: identity, counters, times of writing and
 * derived values.
 */
const NOT_TOLD = [
  "id",
  "project_id",
  "handoff_request_id",
  "ticket_ref",
  "ship",
  "roles",
  "url",
  "pending_questions",
  "tasks",
  "cases",
  "closing",
  "claimed_by",
  "agent_run",
  "assignee",
  "labels",
  "milestone_name",
  "rank",
  "parent_ref",
  "children",
  "open_blockers",
  "version",
  "created_at",
  "updated_at",
  "lease_expires_at",
  "imported",
];

/** A field that history tells and no answer shows. */
const NOT_SHOWN = "claimed_with";

/** Reads the whole history of a ticket, page by page. */
export async function readHistory(
  harness: Harness,
  project: TestProject,
  ticket: TestTicket,
): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor ? `&cursor=${cursor}` : "";
    const { status, body } = await harness.call("GET", `${ticket.path}/history?limit=200${query}`, {
      token: project.admin.token,
    });
    if (status !== 200) throw new Error(`no history: ${JSON.stringify(body)}`);
    rows.push(...body.history);
    cursor = body.next_cursor;
  } while (cursor);
  return rows;
}

/** Returns things and their facts after all changes in history, as `task <id>` → facts. */
export function replay(rows: readonly HistoryRow[]): Record<string, Facts> {
  const things: Record<string, Facts> = {};
  for (const { entity, entity_id, action, field, from, to } of rows) {
    const name = `${entity} ${entity_id}`;
    if (action === "created") things[name] = { ...to as Facts };
    if (action === "deleted") delete things[name];
    if (action !== "changed" || field === NOT_SHOWN) continue;
    const thing = things[name];
    if (!thing) throw new Error(`${name} changed before it was created`);
    const before = thing[field!] ?? null;
    if (JSON.stringify(before) !== JSON.stringify(from)) {
      throw new Error(
        `${name}: history says ${field} was ${JSON.stringify(from)}, replayed ${JSON.stringify(before)}`,
      );
    }
    if (to === null) delete thing[field!];
    else thing[field!] = to;
  }
  return things;
}

/** Returns the same facts from the service's current answers. */
export async function readThings(
  harness: Harness,
  project: TestProject,
  ticket: TestTicket,
): Promise<Record<string, Facts>> {
  const read = async (path: string) =>
    (await harness.call("GET", ticket.path + path, { token: project.admin.token })).body;
  const [whole, { tasks }, { cases }, { questions }] = await Promise.all([
    read(""),
    read("/tasks"),
    read("/test-cases"),
    read("/questions?limit=200"),
  ]);
  expect([whole.tasks, whole.cases]).toEqual([
    { done: having(tasks, "done", "skipped"), total: tasks.length },
    { approved: having(cases, "approved"), total: cases.length },
  ]);
  // The replayed tickets have no other parts. A part that they get needs its list here.
  const parts: Record<PartName, [id: unknown, facts: Facts][]> = {
    role: whole.roles.map((state: Facts) => [state.role, state]),
    task: tasks.map((task: Facts) => [task.id, told({ ...task, number: null })]),
    test_case: cases.map((one: Facts) => [one.id, told(one)]),
    question: questions.map((one: Facts) => [one.id, told(askedAndAnswered(one))]),
    comment: [],
    pull_request: [],
    linked_issue: [],
    duplicate: [],
    link: [],
    agent_run: [],
  };
  return {
    [`ticket ${ticket.id}`]: told(whole),
    ...Object.fromEntries(
      Object.entries(parts).flatMap(([part, things]) =>
        things.map(([id, facts]) => [`${part} ${id}`, facts])
      ),
    ),
  };
}

function having(parts: { status: string }[], ...statuses: string[]): number {
  return parts.filter(({ status }) => statuses.includes(status)).length;
}

/** Returns a question as its row has it, from its form on the wire. */
function askedAndAnswered(
  { answer, asked_by: _, stale: __, ticket_id: ___, ...question }: Facts,
): Facts {
  if (answer === null) return question;
  const { option_ids, text, user_id, by } = answer as Record<string, unknown>;
  const answered_with = by === "default" ? "default" : "session";
  return { ...question, option_ids, answer_text: text, answered_by: user_id, answered_with };
}

function told(thing: Facts): Facts {
  return Object.fromEntries(
    Object.entries(thing).filter(([name, value]) => value !== null && !NOT_TOLD.includes(name)),
  );
}
