import type { Context } from "../core/context.ts";
import { counted } from "../core/counted.ts";
import { fingerprintOf } from "../suggestions/fingerprint.ts";
import { isFinished } from "../tasks/transitions.ts";
import type { TaskFacts, TicketFacts } from "./_batch.ts";
import { type Finding, rounded } from "./_finding.ts";

/**
 * Fewer unfinished tasks than LEAST_TASKS are no burden on one ticket; more than MOST_TASKS are not
 * compared.
 */
const LEAST_TASKS = 6;
const MOST_TASKS = 50;
/**
 * Measured with 8 tasks each: tasks of one subject had cosines of 0.3 to 0.7 with their nearest,
 * tasks of two subjects 0.25 at most.
 */
const SAME_SUBJECT = 0.3;
/**
 * The least number of tasks that count as a second subject, because two tasks may just be off the
 * subject.
 */
const LEAST_GROUP = 3;
const EMBED_TIMEOUT_MS = 10_000;

interface EmbeddedTask extends TaskFacts {
  vector: Float32Array;
}

interface SplitFindings {
  findings: Finding[];
  /** Tickets about which nothing is known, because the model gave no answer. */
  unknown: string[];
  /** Tickets for which the time was too short. */
  unread: string[];
}

/** Finds open tickets whose unfinished tasks fall into unrelated groups. */
export async function findSplits(
  ctx: Context,
  tickets: readonly TicketFacts[],
  deadline: number,
): Promise<SplitFindings> {
  const result: SplitFindings = { findings: [], unknown: [], unread: [] };
  for (const ticket of tickets) {
    // Tasks are sorted by id. If two groups are equally large, the same one stays for any order of
    // the tasks.
    const tasks = ticket.tasks.filter((task) => !isFinished(task)).toSorted((a, b) => a.id < b.id ? -1 : 1);
    if (ticket.status !== "open" || tasks.length < LEAST_TASKS || tasks.length > MOST_TASKS) continue;
    if (performance.now() > deadline) {
      result.unread.push(ticket.id);
      continue;
    }
    const embedded = await embedTasks(ctx, tasks);
    if (embedded) result.findings.push(...describeSplit(ticket, groupTasks(embedded)));
    else result.unknown.push(ticket.id);
  }
  return result;
}

async function embedTasks(ctx: Context, tasks: readonly TaskFacts[]): Promise<EmbeddedTask[] | null> {
  const embedded: EmbeddedTask[] = [];
  for (const task of tasks) {
    const text = task.body ? `${task.title}\n${task.body}` : task.title;
    const vector = await ctx.embedder.embed(text, { timeoutMs: EMBED_TIMEOUT_MS, priority: "backfill" });
    if (!vector) return null;
    embedded.push({ ...task, vector });
  }
  return embedded;
}

/**
 * Groups tasks that have the same subject or depend on one another; the largest group comes first.
 */
function groupTasks(tasks: readonly EmbeddedTask[]): EmbeddedTask[][] {
  const left = new Set(tasks);
  const groups: EmbeddedTask[][] = [];
  for (const first of tasks) {
    if (!left.delete(first)) continue;
    const group = [first];
    for (const member of group) {
      for (const other of left) if (belongTogether(member, other) && left.delete(other)) group.push(other);
    }
    groups.push(group);
  }
  return groups.toSorted((a, b) => b.length - a.length);
}

function belongTogether(a: EmbeddedTask, b: EmbeddedTask): boolean {
  return a.depends_on_task_ids.includes(b.id) || b.depends_on_task_ids.includes(a.id) ||
    cosine(a, b) >= SAME_SUBJECT;
}

function cosine(a: EmbeddedTask, b: EmbeddedTask): number {
  return a.vector.reduce((sum, value, index) => sum + value * b.vector[index]!, 0);
}

/** Describes a split. The largest group stays, and so does any task that somebody has started. */
function describeSplit({ id, ticket_ref }: TicketFacts, groups: EmbeddedTask[][]): Finding[] {
  const [stays, ...others] = groups;
  const parts = others.filter((group) =>
    group.length >= LEAST_GROUP && group.every(({ status }) => status === "pending")
  );
  if (!stays || stays.length < LEAST_GROUP || parts.length === 0) return [];
  const named = parts.map((group) => ({
    title: mostCentral(group).title,
    task_ids: group.map((task) => task.id),
  }));
  const leaving = counted(parts.flat().length, "task");
  return [{
    kind: "split",
    ticket_id: id,
    title: `Split ${ticket_ref} into ${parts.length + 1} tickets`,
    rationale: `${leaving} of ${ticket_ref} have nothing to do with ` +
      `“${mostCentral(stays).title}” and similar tasks, such as “${named[0]!.title}”.`,
    confidence: rounded(clarity(stays, parts)),
    evidence: { parts: named, stays: stays.map((task) => task.id) },
    fingerprint: fingerprintOf("split", id, named.map(({ task_ids }) => task_ids.toSorted()).toSorted()),
  }];
}

/**
 * Returns the task that is most similar to the others of its group, whose title names the group.
 */
function mostCentral(group: readonly EmbeddedTask[]): EmbeddedTask {
  const nearness = (task: EmbeddedTask) => group.reduce((sum, other) => sum + cosine(task, other), 0);
  return group.reduce((best, task) => nearness(task) > nearness(best) ? task : best);
}

/** Returns half, plus more for a larger distance between the groups. */
function clarity(stays: readonly EmbeddedTask[], parts: readonly EmbeddedTask[][]): number {
  const across = parts.flat().flatMap((task) => stays.map((other) => cosine(task, other)));
  const mean = across.reduce((sum, value) => sum + value, 0) / across.length;
  return Math.min(1, Math.max(0.5, 1 - mean - 0.1));
}
