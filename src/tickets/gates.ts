import type { Db, Fragment } from "../../db/open.ts";
import { counted } from "../core/counted.ts";
import { AppError, type ErrorCode } from "../core/errors.ts";
import type { ClosingGates, Resolution } from "./schema.ts";

/** The part of a transition that decides which gates hold a closing back. */
export interface ClosingRequest {
  /** How a closed ticket is resolved; `completed` without a note if absent. */
  resolution?: Resolution;
  /** Unfinished roles are set to skipped instead of refusing. */
  skipPendingRoles?: boolean;
  /** The caller's right to skip the gate has been checked. */
  skipHumanTestGate?: boolean;
  /** A person closes the ticket without its children. */
  skipOpenChildren?: boolean;
  /** Absent if the service itself closes the ticket. */
  caller?: "person" | "bot";
}

/** A condition that may hold a ticket back from closing. */
interface Gate {
  /** The code of a refusal. Routers, documents and the next steps of agents read it here. */
  code: ErrorCode;
  /** The name of the obstacles' list in a refusal's details, and of their number in a ticket's `closing`. */
  field: keyof ClosingGates;
  /** The obstacles of ticket `t`: a query from its `from` on. */
  rows(db: Db): Fragment;
  /** An obstacle as JSON, and the column that sorts the list. */
  item(db: Db): { json: Fragment; place: Fragment };
  holds(request: ClosingRequest): boolean;
  /** The end of a refusal's sentence. */
  reason(obstacles: readonly unknown[]): string;
}

/** In the order in which a refusal names them. Every way to close a ticket goes through these. */
const GATES: readonly Gate[] = [
  {
    code: "people_close",
    field: "people",
    rows: (db) => db`from projects x where x.id = t.project_id and x.closing = 'people'`,
    item: (db) => ({ json: db`x.closing`, place: db`x.id` }),
    holds: ({ caller }) => caller === "bot",
    reason: () => "only people close tickets of this project. Move it to validation instead",
  },
  {
    code: "roles_incomplete",
    field: "roles",
    rows: (db) => db`from ticket_roles r where r.ticket_id = t.id and ${isUnfinished(db)}`,
    item: (db) => ({ json: db`r.role`, place: db`r.role` }),
    holds: ({ skipPendingRoles }) => !skipPendingRoles,
    reason: (roles) => `${counted(roles.length, "role is", "roles are")} unfinished (${roles.join(", ")})`,
  },
  {
    code: "human_tests_pending",
    field: "cases",
    rows: (db) => db`from test_cases c where c.ticket_id = t.id and c.status <> 'approved'`,
    item: (db) => ({ json: db`jsonb_build_object('id', c.id, 'title', c.title)`, place: db`c.id` }),
    holds: ({ skipHumanTestGate }) => !skipHumanTestGate,
    reason: (cases) => `${counted(cases.length, "human test case is", "human test cases are")} not approved`,
  },
  {
    code: "children_open",
    field: "children",
    rows: (db) => db`from tickets c where t.children_open > 0 and c.parent_id = t.id and c.status = 'open'`,
    item: (db) => ({
      json: db`jsonb_build_object('id', c.id, 'title', left(c.title, 100),
        'ticket_ref', (select x.key from projects x where x.id = c.project_id) || '-' || c.number)`,
      place: db`c.number`,
    }),
    holds: ({ skipOpenChildren }) => !skipOpenChildren,
    reason: (children) => `${counted(children.length, "child is", "children are")} open`,
  },
  {
    code: "question_unanswered",
    field: "questions",
    rows: (db) =>
      db`from questions q where t.human_questions > 0 and q.ticket_id = t.id and q.status = 'pending'
        and q.resolver = 'human_only' and not q.made_with_ticket`,
    item: (db) => ({
      json: db`jsonb_build_object('id', q.id, 'prompt', left(q.prompt, 200))`,
      place: db`q.id`,
    }),
    // A bot client does not complete a ticket past a question that somebody asked a person.
    holds: ({ caller, resolution }) => caller === "bot" && (resolution?.type ?? "completed") === "completed",
    reason: (questions) => {
      const asked = counted(questions.length, "question for a person is", "questions for a person are");
      return `${asked} unanswered. Wait for the answer, withdraw the question, or close with another resolution_type`;
    },
  },
];

/** The code of each gate's refusal. */
export const GATE_CODES: readonly ErrorCode[] = GATES.map(({ code }) => code);

export type Obstacles = Record<Gate["field"], unknown[]>;

/** Tells whether role `r` of a ticket is unfinished. */
export function isUnfinished(db: Db): Fragment {
  return db`r.status in ('pending', 'in_progress')`;
}

/** Tells whether no gate holds ticket `t` back from a closing that nobody asks for. */
export function gatesAreOpen(db: Db): Fragment {
  return GATES.filter(({ holds }) => holds({})).map(({ rows }) => db`not exists (select ${rows(db)})`)
    .reduce((before, open) => db`${before} and ${open}`);
}

/** The `Obstacles` of ticket `t`, as a column. */
export function obstaclesColumn(db: Db): Fragment {
  const fields = GATES.map(({ field, rows, item }) => {
    const { json, place } = item(db);
    return db`${field}::text, coalesce((select jsonb_agg(${json} order by ${place}) ${rows(db)}), '[]')`;
  }).reduce((before, one) => db`${before}, ${one}`);
  return db`jsonb_build_object(${fields})`;
}

/** The `ClosingGates` of ticket `t`, as a column: how many obstacles each gate has. */
export function closingColumn(db: Db): Fragment {
  const counts = GATES.map(({ field, rows }) => db`${field}::text, (select count(*) ${rows(db)})`)
    .reduce((before, one) => db`${before}, ${one}`);
  return db`jsonb_build_object(${counts})`;
}

/** Returns the refusal by the first gate that holds a closing back; undefined if none does. */
export function refusalOf(
  ticketRef: string,
  obstacles: Obstacles,
  request: ClosingRequest,
): AppError | undefined {
  const gate = GATES.find(({ field, holds }) => obstacles[field].length > 0 && holds(request));
  if (!gate) return undefined;
  const { code, field, reason } = gate;
  const found = obstacles[field];
  return new AppError(code, `Cannot close ticket ${ticketRef}: ${reason(found)}`, {
    details: { [field]: found },
  });
}
