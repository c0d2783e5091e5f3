import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components";
import type { Project, Role, Task, Ticket } from "../api/types.ts";
import { useDraft } from "../app/drafts.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { createTask, reorderTasks, tasksQuery } from "../data/tasks.ts";
import { Plus } from "../ui/icons.tsx";
import { isBlank, lengthOf } from "../ui/lengths.ts";
import { Choice } from "../ui/menu.tsx";
import { TooLong } from "../ui/too_long.tsx";
import { ROLES } from "../words/enums.ts";
import { tasks as words } from "../words/ticket.ts";
import { TaskRow } from "./task_row.tsx";

const LONGEST_TITLE = 200;

interface Props {
  project: Project;
  ticket: Ticket;
  mayWrite: boolean;
}

/** The tasks of a ticket in their order. They can be claimed, finished, moved and added. */
export function Tasks({ project, ticket, mayWrite }: Props) {
  const at = { id: project.id, ticketId: ticket.id };
  const { data } = useQuery(tasksQuery(at));
  const tasks = data?.tasks ?? [];
  const order = useMutation({ ...reorderTasks(at), onError: (error) => sayRefused(error) });
  const reorder = (task: Task, by: number) => {
    const ids = tasks.map(({ id }) => id);
    const place = ids.indexOf(task.id);
    ids.splice(place, 1);
    ids.splice(place + by, 0, task.id);
    order.mutate(ids, { onSuccess: () => sayDone(words.moved(task.title, place + by + 1, ids.length)) });
  };
  return (
    <>
      {data && tasks.length === 0 && <p className="empty">{words.empty}</p>}
      <ol className="tasks" aria-busy={!data}>
        {tasks.map((task, place) => (
          <TaskRow
            key={task.id}
            project={project}
            task={task}
            all={tasks}
            mayWrite={mayWrite}
            up={place > 0 ? () => reorder(task, -1) : undefined}
            down={place < tasks.length - 1 ? () => reorder(task, 1) : undefined}
          />
        ))}
      </ol>
      {mayWrite && <AddTask project={project} ticket={ticket} />}
    </>
  );
}

function AddTask({ project, ticket }: { project: Project; ticket: Ticket }) {
  const [draft, setTitle] = useDraft<string>(`${ticket.id}.new_task`);
  const title = draft ?? "";
  const isReady = !isBlank(title) && lengthOf(title) <= LONGEST_TITLE;
  const [role, setRole] = useState<Role>(ticket.roles[0]?.role ?? "other");
  const add = useMutation({
    ...createTask({ id: project.id, ticketId: ticket.id }),
    onSuccess: () => setTitle(null),
    onError: (error) => sayRefused(error),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !add.isPending) add.mutate({ title, role });
  };
  return (
    <form className="add-row" onSubmit={send}>
      <input
        className="react-aria-Input"
        aria-label={`${words.add}: ${words.title}`}
        placeholder={words.add}
        dir="auto"
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value || null)}
      />
      <Choice label={words.role} words={ROLES} value={role} onChange={(next) => next && setRole(next)} />
      <Button type="submit" className="button icon-only" aria-label={words.add} isDisabled={!isReady}>
        <Plus />
      </Button>
      <TooLong text={title} most={LONGEST_TITLE} />
    </form>
  );
}
