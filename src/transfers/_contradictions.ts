import type { z } from "zod";
import { invalidRequest, type Issue } from "../core/errors.ts";
import type { Config } from "../core/config.ts";
import { CreatedComment } from "../comments/schema.ts";
import { CreatedQuestion } from "../questions/schema.ts";
import { WebAddress } from "../core/schema.ts";
import { nameKey } from "../core/names.ts";
import { issueUrl } from "../integrations/issue_url.ts";
import { CreatedTask } from "../tasks/schema.ts";
import { CreatedTestCase } from "../test_cases/schema.ts";
import { CreatedTicket } from "../tickets/schema.ts";
import type { TicketRecord } from "./schema.ts";

/**
 * Refuses fields that are allowed alone but not together. The database would refuse them without
 * naming the place, or accept records that no other call allows.
 * @throws {AppError} invalid_request that names each place
 */
export function refuseContradictions(config: Config, records: readonly TicketRecord[]): void {
  const issues = records.flatMap((record, index) =>
    [
      ...inTicket(record),
      ...inIssue(config, record),
      ...inCreation(record),
      ...inPartCreations(record),
      ...record.tasks.flatMap(inTask),
      ...record.test_cases.flatMap(inCase),
      ...inComments(record),
      ...inQuestions(record),
    ].map(({ path, message }) => ({ path: `records.${index}.${path}`, message }))
  );
  const named: Record<string, (string | number)[]> = {
    ticket: records.map(({ id }) => id),
    number: records.map(({ number }) => number),
    "idempotency key": records.flatMap(({ creation }) => creation ? [creation.idempotency_key] : []),
    task: records.flatMap(({ tasks }) => tasks.map(({ id }) => id)),
    comment: records.flatMap(({ comments = [] }) => comments.map(({ id }) => id)),
    question: records.flatMap(({ questions = [] }) => questions.map(({ id }) => id)),
    "test case": records.flatMap(({ test_cases }) => test_cases.map(({ id }) => id)),
  };
  for (const [what, names] of Object.entries(named)) {
    const twin = twinIn(names);
    if (twin !== undefined) issues.push({ path: "records", message: `Names the ${what} ${twin} twice` });
  }
  if (issues.length > 0) throw invalidRequest(issues);
}

function hasTwins(items: readonly string[]): boolean {
  return twinIn(items) !== undefined;
}

/** Returns the first item that is repeated. */
function twinIn<Item>(items: readonly Item[]): Item | undefined {
  const seen = new Set<Item>();
  return items.find((item) => seen.size === seen.add(item).size);
}

function inTicket(record: TicketRecord): Issue[] {
  const {
    id,
    duplicate_of,
    stage,
    resolution_type,
    resolution_note,
    merge_sha,
    roles,
    tasks,
    start_on,
    due_on,
    labels,
    parent_id,
    column,
    links = [],
  } = record;
  const live = stage === "live";
  const issues = issuesOf([
    [record.parts_follow === true, "parts_follow", "Its parts must be joined to it first"],
    [start_on !== null && due_on !== null && start_on > due_on, "start_on", "Must not be after due_on"],
    [hasTwins(labels.map(({ name }) => nameKey(name))), "labels", "Names a label twice"],
    [links.some(({ ticket_id }) => ticket_id === id), "links", "Links the ticket to itself"],
    [live && column !== null, "column", "live has no columns"],
    [parent_id === id, "parent_id", "Is the ticket itself"],
    [duplicate_of === id, "duplicate_of", "Is the ticket itself"],
    [hasTwins(roles.map(({ role }) => role)), "roles", "Names a role twice"],
    [
      live !== (record.closed_at !== null),
      "closed_at",
      "live tickets have a time of closing, other tickets have none",
    ],
    [
      live !== (resolution_type !== null),
      "resolution_type",
      "live tickets have a resolution, other tickets have none",
    ],
    [!live && resolution_note !== null, "resolution_note", "Only a closed ticket has a resolution"],
    [merge_sha === null && record.deployed_at !== null, "deployed_at", "Nothing was merged"],
    [merge_sha === null && record.deploy_failed_at !== null, "deploy_failed_at", "Nothing was merged"],
  ]);
  const known = new Set(tasks.map(({ id }) => id));
  for (const [place, { depends_on_task_ids }] of tasks.entries()) {
    for (const [at, id] of depends_on_task_ids.entries()) {
      const path = `tasks.${place}.depends_on_task_ids.${at}`;
      if (!known.has(id)) issues.push({ path, message: `${id} is not a task of this ticket` });
    }
  }
  if (issues.length === 0 && hasCycle(tasks)) issues.push({ path: "tasks", message: "Depend on each other" });
  return issues;
}

/** Only pages of the code host may be linked. */
function inIssue(config: Config, { issue }: TicketRecord): Issue[] {
  if (issue === null) return [];
  const expected = issueUrl(config, { repo: issue.repo_full_name, number: issue.issue_number });
  const isThere = issue.issue_url.toLowerCase() === expected.toLowerCase();
  return issuesOf([[
    !isThere,
    "issue.issue_url",
    `Expected ${expected}, an address of this service's code host`,
  ]]);
}

function inCreation({ id, creation }: TicketRecord): Issue[] {
  if (!creation) return [];
  const path = "creation.response";
  return inAnswer(
    path,
    CreatedTicket,
    creation.response,
    ({ ticket }) =>
      issuesOf([
        [ticket.id !== id, `${path}.ticket.id`, "Is another ticket"],
        [!isWeb(ticket.url), `${path}.ticket.url`, NO_WEB],
      ]),
  );
}

const ANSWERS = {
  // A task had no number in exports of earlier versions.
  task: CreatedTask.partial({ number: true }),
  test_case: CreatedTestCase,
  comment: CreatedComment,
  question: CreatedQuestion,
} as const;

function inPartCreations({ id, part_creations = [] }: TicketRecord): Issue[] {
  const keys = part_creations.map(({ part, idempotency_key }) => `${part} ${idempotency_key}`);
  const issues = issuesOf([[hasTwins(keys), "part_creations", "Names a key twice"]]);
  for (const [place, { part, response }] of part_creations.entries()) {
    const path = `part_creations.${place}.response`;
    issues.push(...inAnswer(path, ANSWERS[part], response, (answer) => {
      const of = "handoff_request_id" in answer ? "handoff_request_id" : "ticket_id";
      const ticket = (answer as Record<string, unknown>)[of];
      const link = "link" in answer ? answer.link : null;
      return issuesOf([
        [ticket !== undefined && ticket !== id, `${path}.${of}`, "Is another ticket"],
        [typeof link === "string" && !isWeb(link), `${path}.link`, NO_WEB],
      ]);
    }));
  }
  return issues;
}

const NO_WEB = "Expected an http or https address";

/**
 * A portal shows the address as a link, so a script in the address would run for everyone who
 * clicks on it.
 */
function isWeb(address: string): boolean {
  return WebAddress.safeParse(address).success;
}

/** The stored answer of a creation, which a repeated creation gets. */
function inAnswer<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  response: unknown,
  inParsed: (answer: z.infer<Schema>) => Issue[],
): Issue[] {
  const { data, error } = schema.safeParse(response);
  if (data !== undefined) return inParsed(data);
  const { path: at, message } = error!.issues[0]!;
  return [{ path: [path, ...at].join("."), message }];
}

/** Removes the tasks that depend on no remaining task, until no more can be removed. */
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

function inTask(task: TicketRecord["tasks"][number], place: number): Issue[] {
  const { status, blocking_reason, started_at, completed_at, depends_on_task_ids } = task;
  const path = `tasks.${place}`;
  return issuesOf([
    [
      (status === "blocked") !== (blocking_reason !== null),
      `${path}.blocking_reason`,
      "blocked tasks have a reason, other tasks have none",
    ],
    [
      status === "in_progress" && started_at === null,
      `${path}.started_at`,
      "tasks in progress have a time of starting",
    ],
    [
      (status === "done") !== (completed_at !== null),
      `${path}.completed_at`,
      "done tasks have a time of completion, other tasks have none",
    ],
    [hasTwins(depends_on_task_ids), `${path}.depends_on_task_ids`, "Names a task twice"],
  ]);
}

/**
 * The person who decided may be unknown, because an import finds people by email and doesn't find
 * all of them.
 */
function inCase(
  { status, decided_by, decided_at }: TicketRecord["test_cases"][number],
  place: number,
): Issue[] {
  const pending = status === "pending";
  const path = `test_cases.${place}`;
  return issuesOf([
    [
      pending === (decided_at !== null),
      `${path}.decided_at`,
      "decided cases have a time of deciding, other cases have none",
    ],
    [pending && decided_by !== null, `${path}.decided_by`, "Nobody has decided a pending case"],
  ]);
}

function inComments({ comments = [] }: TicketRecord): Issue[] {
  const firsts = new Set(comments.filter(({ parent_id }) => parent_id === null).map(({ id }) => id));
  return comments.flatMap(({ parent_id, body, deleted_at }, place) =>
    issuesOf([
      [
        parent_id !== null && !firsts.has(parent_id),
        `comments.${place}.parent_id`,
        "Is not a first comment of this ticket",
      ],
      [
        (body === null) !== (deleted_at !== null),
        `comments.${place}.body`,
        "deleted comments have no text, other comments have one",
      ],
    ])
  );
}

function inQuestions({ stage, tasks, questions = [] }: TicketRecord): Issue[] {
  const [known, asked] = [new Set(tasks.map(({ id }) => id)), new Set(questions.map(({ id }) => id))];
  return questions.flatMap((question, place) => {
    const { task_id, superseded_by, status, ended_at, answered_with } = question;
    const path = `questions.${place}`;
    const pending = status === "pending";
    return issuesOf([
      ...inOptions(question, path),
      ...inAnswerer(question, path),
      [task_id !== null && !known.has(task_id), `${path}.task_id`, "Is not a task of this ticket"],
      [
        superseded_by !== null && !asked.has(superseded_by),
        `${path}.superseded_by`,
        "Is not a question of this ticket",
      ],
      [pending && stage === "live", `${path}.status`, "A closed ticket has no pending question"],
      [
        pending === (ended_at !== null),
        `${path}.ended_at`,
        "pending questions have no time of ending, other questions have one",
      ],
      [
        (status === "answered") !== (answered_with !== null),
        `${path}.answered_with`,
        "answered questions have an answer, other questions have none",
      ],
    ]);
  });
}

type QuestionFacts = NonNullable<TicketRecord["questions"]>[number];
type Check = [wrong: boolean, path: string, message: string];

function inOptions({ kind, options, default_option, option_ids }: QuestionFacts, path: string): Check[] {
  const ids = (options ?? []).map(({ id }) => id);
  const unknown = (id: string) => !ids.includes(id);
  return [
    [
      kind === "question" ? options !== null : ids.length < 2,
      `${path}.options`,
      "decisions and confirmations have 2 options or more, questions have none",
    ],
    [hasTwins(ids), `${path}.options`, "Names an id twice"],
    [
      default_option !== null && unknown(default_option),
      `${path}.default_option`,
      "Is not one of the options",
    ],
    [(option_ids ?? []).some(unknown), `${path}.option_ids`, "Are not all among the options"],
  ];
}

/** An API key acts for an agent, and an agent answers only questions that are not for people alone. */
function inAnswerer(
  { kind, resolver, answered_with, answered_by_bot }: QuestionFacts,
  path: string,
): Check[] {
  const byDefault = kind === "confirmation" && answered_with === "default";
  return [
    [
      answered_with === "key" && answered_by_bot !== true,
      `${path}.answered_by_bot`,
      "An answer with an API key is an agent's",
    ],
    [
      resolver === "human_only" && (answered_by_bot === true || byDefault),
      `${path}.answered_with`,
      "Only a person answers a human_only question",
    ],
  ];
}

function issuesOf(checks: Check[]): Issue[] {
  return checks.filter(([wrong]) => wrong).map(([, path, message]) => ({ path, message }));
}
