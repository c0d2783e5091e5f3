import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components";
import { handoff, refreshProject, trpc } from "../api/client.ts";
import type { Project, Role, Task, Ticket } from "../api/types.ts";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { Plus } from "../ui/icons.tsx";
import { Choice } from "../ui/menu.tsx";
import { ROLES } from "../words/enums.ts";
import { tasks as words } from "../words/ticket.ts";
import { TaskRow } from "./task_row.tsx";

interface Props {
  project: Project;
  ticket: Ticket;
  mayWrite: boolean;
}

/** The tasks of a ticket in their order. They can be claimed, finished, moved and added. */
export function Tasks({ project, ticket, mayWrite }: Props) {
  const at = { id: project.id, ticketId: ticket.id };
  const { data } = useQuery(trpc.tasks.list.queryOptions(at));
  const tasks = data?.tasks ?? [];
  const reorder = async (task: Task, by: number) => {
    const ids = tasks.map(({ id }) => id);
    const place = ids.indexOf(task.id);
    ids.splice(place, 1);
    ids.splice(place + by, 0, task.id);
    try {
      await handoff.api.tasks.reorder.mutate({ ...at, task_ids: ids });
      sayDone(words.moved(task.title, place + by + 1, ids.length));
    } catch (error) {
      sayRefused(error);
    }
    await refreshProject(project.id);
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
            up={place > 0 ? () => void reorder(task, -1) : undefined}
            down={place < tasks.length - 1 ? () => void reorder(task, 1) : undefined}
          />
        ))}
      </ol>
      {mayWrite && <AddTask project={project} ticket={ticket} />}
    </>
  );
}

function AddTask({ project, ticket }: { project: Project; ticket: Ticket }) {
  const [title, setTitle] = useState("");
  const [role, setRole] = useState<Role>(ticket.roles[0]?.role ?? "other");
  const add = useMutation({
    mutationFn: () => handoff.api.tasks.create.mutate({ id: project.id, ticketId: ticket.id, title, role }),
    onSuccess: () => setTitle(""),
    onError: (error) => sayRefused(error),
    onSettled: () => refreshProject(project.id),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (title.trim() && !add.isPending) add.mutate();
  };
  return (
    <form className="add-row" onSubmit={send}>
      <input
        className="react-aria-Input"
        aria-label={`${words.add}: ${words.title}`}
        placeholder={words.add}
        maxLength={200}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Choice label={words.role} words={ROLES} value={role} onChange={(next) => next && setRole(next)} />
      <Button type="submit" className="button icon-only" aria-label={words.add} isDisabled={!title.trim()}>
        <Plus />
      </Button>
    </form>
  );
}
