import { useMutation, useQuery } from "@tanstack/react-query";
import type { Priority, Project, RequestType, Ticket } from "../api/types.ts";
import { type Command, useAsked, useCommands } from "../app/commands.ts";
import { usePeople } from "../app/people.ts";
import { sayRefused } from "../app/toasts.tsx";
import { columnsQuery } from "../data/columns.ts";
import { assignTask, tasksQuery } from "../data/tasks.ts";
import { board } from "../words/board.ts";
import { PRIORITIES, STAGE_ORDER, STAGES, TYPES } from "../words/enums.ts";
import { commands as words } from "../words/ticket.ts";
import { copyLink, copyOf } from "./copy_link.ts";
import { useChoose } from "./use_save.ts";

/** Commands of the palette for the open ticket: move, priority, give its tasks to somebody. */
export function useTicketCommands(project: Project, ticket: Ticket, mayWrite: boolean): void {
  const choose = useChoose(project, ticket);
  const at = { id: project.id, ticketId: ticket.id };
  const { data: tasks } = useQuery(tasksQuery(at));
  const { data: columns } = useQuery({ ...columnsQuery(project.id), enabled: mayWrite });
  const { ticket_ref: ref } = ticket;
  const next = tasks?.tasks.find(({ status }) => status === "pending");
  const people = useAssignees(project, next !== undefined);
  const assign = useMutation({ ...assignTask(at), onError: (error) => sayRefused(error) });
  const commands: Command[] = [
    ...STAGE_ORDER.filter((stage) => stage !== ticket.stage).map((stage) => ({
      id: `move-${stage}`,
      name: words.move(ref, STAGES[stage]),
      run: () => choose({ stage }, STAGES[stage]),
    })),
    ...(columns?.columns ?? []).filter(({ id }) => id !== ticket.column_id).map(({ id, stage, name }) => ({
      id: `move-${id}`,
      name: words.move(ref, board.column(stage, name)),
      run: () => choose({ stage, column_id: id }, name),
    })),
    ...(Object.keys(PRIORITIES) as Priority[]).filter((priority) => priority !== ticket.priority).map((
      priority,
    ) => ({
      id: `priority-${priority}`,
      name: words.priority(ref, PRIORITIES[priority]),
      run: () => choose({ priority }, PRIORITIES[priority]),
    })),
    ...(Object.keys(TYPES) as RequestType[]).filter((type) => type !== ticket.request_type).map((type) => ({
      id: `type-${type}`,
      name: words.type(ref, TYPES[type]),
      run: () => choose({ request_type: type }, TYPES[type]),
    })),
    ...(next ? people.found : []).map(({ id, name }) => ({
      id: `assign-${id}`,
      name: words.assign(next!.title, name),
      run: () => assign.mutate({ taskId: next!.id, assignee_user_id: id }),
    })),
    ...(next && people.hasMore
      ? [{ id: "assign-more", name: words.assignMore(next.title), run: () => {}, isHint: true }]
      : []),
  ];
  const copies: Command[] = [
    { id: "copy-ref", name: words.copyRef(ref), run: () => copyOf(ref, words.copied(ref)) },
    { id: "copy-link", name: words.copyLink(ref), run: () => copyLink({ key: project.key, ref }) },
  ];
  useCommands(mayWrite ? [...copies, ...commands] : copies);
}

/** The first people of a project, and others by the last word that is typed into the palette. */
function useAssignees(project: Project, isAsked: boolean) {
  const asked = useAsked();
  const typed = asked.split(/\s+/).at(-1) ?? "";
  const first = usePeople(project.id, isAsked ? "" : null);
  const named = usePeople(project.id, isAsked && typed ? typed : null);
  const found = new Map([...first.people, ...named.people].map((person) => [person.id, person]));
  return { found: [...found.values()], hasMore: first.hasMore };
}
