import { invalidRequest, type Issue } from "../core/errors.ts";
import type { TicketRecord } from "./transfer_schema.ts";

/**
 * What each field allows but not all of them together: the database would refuse it without a word on where, or take
 * what no other door lets in.
 * @throws {AppError} invalid_request that names each place
 */
export function refuseContradictions(records: readonly TicketRecord[]): void {
  const issues = records.flatMap((record, index) =>
    [...inTicket(record), ...record.tasks.flatMap(inTask), ...record.test_cases.flatMap(inCase)]
      .map(({ path, message }) => ({ path: `records.${index}.${path}`, message }))
  );
  const named = {
    ticket: records.map(({ id }) => id),
    task: records.flatMap(({ tasks }) => tasks.map(({ id }) => id)),
    "test case": records.flatMap(({ test_cases }) => test_cases.map(({ id }) => id)),
  };
  for (const [what, ids] of Object.entries(named)) {
    if (hasTwins(ids)) issues.push({ path: "records", message: `Names a ${what} twice` });
  }
  if (issues.length > 0) throw invalidRequest(issues);
}

function hasTwins(items: readonly string[]): boolean {
  return new Set(items).size < items.length;
}

function inTicket({ id, duplicate_of, stage, closed_at, roles, tasks }: TicketRecord): Issue[] {
  const issues: Issue[] = [];
  if (duplicate_of === id) issues.push({ path: "duplicate_of", message: "Is the ticket itself" });
  if (hasTwins(roles.map(({ role }) => role))) issues.push({ path: "roles", message: "Names a role twice" });
  if ((stage === "live") !== (closed_at !== null)) {
    issues.push({ path: "closed_at", message: "live tickets have a time of closing, others none" });
  }
  const known = new Set(tasks.map(({ id }) => id));
  for (const [place, { depends_on_task_ids }] of tasks.entries()) {
    for (const [at, id] of depends_on_task_ids.entries()) {
      const path = `tasks.${place}.depends_on_task_ids.${at}`;
      if (!known.has(id)) issues.push({ path, message: `${id} is no task of this ticket` });
    }
  }
  if (issues.length === 0 && hasCycle(tasks)) issues.push({ path: "tasks", message: "Depend on each other" });
  return issues;
}

/** Takes away, again and again, what depends on nothing that is left. */
function hasCycle(tasks: TicketRecord["tasks"]): boolean {
  const left = new Map(tasks.map(({ id, depends_on_task_ids }) => [id, depends_on_task_ids]));
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [id, dependsOn] of left) {
      if (!dependsOn.some((other) => left.has(other))) left.delete(id);
    }
  }
  return left.size > 0;
}

function inTask(
  { status, blocking_reason, completed_at }: TicketRecord["tasks"][number],
  place: number,
): Issue[] {
  const issues: Issue[] = [];
  if ((status === "blocked") !== (blocking_reason !== null)) {
    const path = `tasks.${place}.blocking_reason`;
    issues.push({ path, message: "blocked tasks have a reason, others none" });
  }
  if (status === "done" && completed_at === null) {
    issues.push({ path: `tasks.${place}.completed_at`, message: "done tasks have a time of completion" });
  }
  return issues;
}

function inCase({ status, decided_at }: TicketRecord["test_cases"][number], place: number): Issue[] {
  if ((status === "pending") === (decided_at === null)) return [];
  return [{ path: `test_cases.${place}.decided_at`, message: "decided cases have a time, others none" }];
}
