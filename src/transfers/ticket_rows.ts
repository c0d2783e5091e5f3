import { nameKey } from "../core/names.ts";
import type { PlanIds } from "./_plans.ts";
import { type PartCreation, TicketFields, type TicketRecord } from "./schema.ts";

export type Row = Record<string, unknown>;

/** A user with a role in the project. Only one who may write is given a pending task. */
export interface KnownPerson {
  id: string;
  may_write: boolean;
}

/**
 * Returns the rows of the records by table, in an order that satisfies the references. A field of a
 * record is the column of the same name. Claims are not exported, because their holders work
 * elsewhere.
 * @param people users by the emails that the records name
 * @param plans ids of the project's labels, milestones and columns
 * @param addressOf the address of a ticket, by its number
 */
export function rowsOf(
  projectId: string,
  { people, plans, addressOf }: {
    people: ReadonlyMap<string, KnownPerson>;
    plans: PlanIds;
    addressOf: (number: number) => string;
  },
  records: readonly TicketRecord[],
): Record<string, Row[]> {
  const person = (email: string | null) => email === null ? null : people.get(email)?.id ?? null;
  const assignee = ({ status, assignee }: TicketRecord["tasks"][number]) =>
    status !== "pending" || people.get(assignee ?? "")?.may_write ? person(assignee) : null;
  const parts = (rows: (record: TicketRecord) => Row[]) =>
    records.flatMap((record) =>
      rows(record).map((row) => ({ ...row, ticket_id: record.id, project_id: projectId }))
    );
  return {
    tickets: records.map((record) => ({
      ...ownFields(record),
      project_id: projectId,
      status: record.stage === "live" ? "closed" : "open",
      created_by: person(record.created_by),
      ...planned(record, plans),
      assignee_user_id: record.stage === "live" || people.get(record.assignee ?? "")?.may_write
        ? person(record.assignee)
        : null,
      ...countedWithTicket(record),
    })),
    ticket_roles: parts(({ roles }) => roles),
    tasks: parts(({ tasks }) => {
      const numbers = numbersOf(tasks);
      return inSequence(tasks).map((record, place) => {
        const { assignee: _, ...task } = record;
        return {
          ...task,
          number: numbers.get(task.id),
          sequence: place + 1,
          assignee_user_id: assignee(record),
        };
      });
    }),
    test_cases: parts(({ test_cases }) =>
      test_cases.map((one) => ({ ...one, decided_by: person(one.decided_by) }))
    ),
    comments: parts(({ comments = [] }) =>
      comments.map((one) => ({
        ...one,
        mentions: [],
        imported: true,
        created_by: person(one.created_by),
        resolved_by: person(one.resolved_by),
      }))
    ),
    // The version of the ticket to which a question refers is different in this installation.
    questions: parts(({ questions = [] }) =>
      questions.map((one) => ({
        ...one,
        addressee_user_id: person(one.addressee_user_id),
        answered_by: person(one.answered_by),
        imported: true,
        answer_imported: one.status === "answered",
        created_by: person(one.created_by),
      }))
    ),
    ticket_issues: parts(({ issue }) => issue ? [issue] : []),
    ticket_creations: parts(({ creation, number }) =>
      creation ? [withAddress(creation, addressOf(number))] : []
    ),
    part_creations: records.flatMap(({ id, tasks, part_creations = [] }) =>
      part_creations.map((creation) => ({ ...withNumber(creation, tasks), ticket_id: id }))
    ),
  };
}

/** The planning fields by the ids of this installation. */
function planned({ stage, labels, milestone, column }: TicketRecord, plans: PlanIds): Row {
  const ids = [...new Set(labels.map(({ name }) => plans.labels.get(nameKey(name))!))];
  return {
    labels: ids.length > 0 ? ids : null,
    milestone_id: milestone && plans.milestones.get(nameKey(milestone.name))!,
    column_id: column && plans.columns.get(`${stage} ${nameKey(column.name)}`)!,
  };
}

/** The stored answer names the ticket's address in this installation, not one of another host. */
function withAddress(creation: NonNullable<TicketRecord["creation"]>, url: string): Row {
  const { ticket, ...answer } = creation.response as { ticket: Row };
  return { ...creation, response: { ...answer, ticket: { ...ticket, url } } };
}

/**
 * The numbers of the tasks by their ids. An export of an earlier version has none, and a program that
 * adds tasks to an export may repeat some. Then all tasks get new numbers.
 */
function numbersOf(tasks: TicketRecord["tasks"]): Map<string, number> {
  const numbers = new Set(tasks.flatMap(({ number }) => number ?? []));
  const areNumbered = numbers.size === tasks.length;
  return new Map(inSequence(tasks).map(({ id, number }, place) => [id, areNumbered ? number! : place + 1]));
}

/** The stored answer of a task's creation has a number, too. A deleted task's is 0 if nobody knows it. */
function withNumber(creation: PartCreation, tasks: TicketRecord["tasks"]): PartCreation {
  const { part, response } = creation;
  if (part !== "task" || response.number !== undefined) return creation;
  return { ...creation, response: { ...response, number: numbersOf(tasks).get(response.id as string) ?? 0 } };
}

/**
 * Counts the question that was created together with the ticket. A trigger counts the other
 * questions.
 */
function countedWithTicket({ questions = [] }: TicketRecord) {
  const own = questions.filter(({ status, made_with_ticket }) => status === "pending" && made_with_ticket);
  const human = own.filter(({ resolver }) => resolver === "human_only");
  return { pending_questions: own.length, human_questions: human.length };
}

function ownFields(record: TicketRecord): Row {
  const names = Object.keys(TicketFields) as (keyof typeof TicketFields)[];
  return Object.fromEntries(names.map((name) => [name, record[name]]));
}

function inSequence(tasks: TicketRecord["tasks"]): TicketRecord["tasks"] {
  return tasks.toSorted((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : 1));
}
