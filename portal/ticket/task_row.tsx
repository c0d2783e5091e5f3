import { useMutation, useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { Button } from "react-aria-components";
import { meQuery } from "../data/me.ts";
import { part } from "../api/load.ts";
import type { Project, Task } from "../api/types.ts";
import { useDraft } from "../app/drafts.ts";
import { useName } from "../app/people.ts";
import { sayRefused } from "../app/toasts.tsx";
import { actOnTask, updateTask } from "../data/tasks.ts";
import { Down, More, Pencil, Trash, Up } from "../ui/icons.tsx";
import { Choice, MenuButton } from "../ui/menu.tsx";
import { ago } from "../ui/time.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { app } from "../words/app.ts";
import { ROLES, TASK_STATUS } from "../words/enums.ts";
import { tasks as words } from "../words/ticket.ts";
import { draftOf, type TaskDraft } from "./task_draft.ts";

const AskFirst = part(async () => (await import("../app/confirm.tsx")).AskFirst);
const TaskForm = part(async () => (await import("./task_form.tsx")).TaskForm);

interface Props {
  project: Project;
  task: Task;
  all: Task[];
  mayWrite: boolean;
  up: (() => void) | undefined;
  down: (() => void) | undefined;
}

export function TaskRow({ project, task, all, mayWrite, up, down }: Props) {
  const [reason, setReason] = useDraft<string>(`${task.id}.reason`);
  const [edited, setEdited] = useDraft<TaskDraft>(`${task.id}.edit`);
  const me = useQuery(meQuery).data?.user.id;
  const at = { id: project.id, ticketId: task.handoff_request_id };
  const onError = (error: unknown) => sayRefused(error);
  const change = useMutation({ ...updateTask(at, task), onError });
  const act = useMutation({ ...actOnTask(at, task.id), onError });
  const [isAsking, setAsking] = useState(false);
  const setStatus = (status: Task["status"] | undefined) => {
    if (!status || status === task.status) return;
    if (status === "blocked") setReason("");
    else change.mutate({ status });
  };
  if (edited) {
    return (
      <li>
        <Suspense>
          <TaskForm project={project} task={task} all={all} fields={edited} setFields={setEdited} />
        </Suspense>
      </li>
    );
  }
  return (
    <li className={`task ${task.status}`}>
      <Choice
        label={words.status(task.title)}
        words={TASK_STATUS}
        value={task.status}
        look="quiet"
        isDisabled={!mayWrite}
        icon={(status) => <span className={`dot ${status}`} />}
        onChange={setStatus}
      />
      {isAsking && (
        <Suspense>
          <AskFirst
            label={words.removeTask}
            question={words.removeQuestion(task.title)}
            run={() => act.mutate("delete")}
            close={() => setAsking(false)}
          />
        </Suspense>
      )}
      <div className="task-text">
        <b dir="auto">{task.title}</b>
        <TaskFacts project={project} task={task} all={all} />
        {task.blocking_reason && <p className="task-reason" dir="auto">{task.blocking_reason}</p>}
        <TaskDetails
          task={task}
          mayWrite={mayWrite}
          tick={(acceptance_criteria) => change.mutate({ acceptance_criteria })}
        />
        {reason !== null && (
          <form
            className="add-row"
            onSubmit={(event) => {
              event.preventDefault();
              if (reason.trim()) {
                change.mutate({ status: "blocked", blocking_reason: reason }, {
                  onSuccess: () => setReason(null),
                });
              }
            }}
          >
            <input
              className="react-aria-Input"
              aria-label={words.reason}
              placeholder={words.reason}
              autoFocus
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            <Button type="submit" className="button">{words.block}</Button>
            <Button className="button quiet" onPress={() => setReason(null)}>{app.cancel}</Button>
          </form>
        )}
      </div>
      {mayWrite && task.status === "pending" && (
        <Button
          className="button"
          onPress={() => act.mutate("claim")}
        >
          {words.claim}
        </Button>
      )}
      {mayWrite && task.status === "in_progress" && task.assignee_user_id === me && (
        <Button
          className="button quiet"
          onPress={() => act.mutate("release")}
        >
          {words.release}
        </Button>
      )}
      {mayWrite && task.status === "in_progress" && task.assignee_user_id !== me && (
        <Button
          className="button quiet"
          onPress={() => act.mutate("takeOver")}
        >
          {words.takeOver}
        </Button>
      )}
      {mayWrite && (
        <MenuButton
          className="button quiet icon-only"
          aria-label={words.actions(task.title)}
          label={words.actions(task.title)}
          acts={[
            { label: words.edit, icon: <Pencil />, run: () => setEdited(draftOf(task)) },
            ...(up ? [{ label: words.up, icon: <Up />, run: up }] : []),
            ...(down ? [{ label: words.down, icon: <Down />, run: down }] : []),
            { label: words.remove, icon: <Trash />, isDanger: true, run: () => setAsking(true) },
          ]}
        >
          <More />
        </MenuButton>
      )}
    </li>
  );
}

function TaskFacts({ project, task, all }: { project: Project; task: Task; all: Task[] }) {
  const assignee = useName(project.id, task.assignee_user_id);
  const before = task.depends_on_task_ids.flatMap((id) => all.find((each) => each.id === id)?.sequence ?? []);
  const left = task.lease_expires_at && Math.ceil((Date.parse(task.lease_expires_at) - Date.now()) / 60_000);
  const facts = [
    ROLES[task.role],
    task.assignee_user_id && assignee,
    typeof left === "number" && words.claimedUntil(left),
    task.status === "in_progress" && left === null && task.started_at && words.since(ago(task.started_at)),
    before.length > 0 && words.after(before.join(", ")),
    task.actual_minutes !== null
      ? words.took(task.actual_minutes)
      : task.estimated_minutes !== null && words.estimate(task.estimated_minutes),
  ];
  return <small>{facts.filter(Boolean).join(" · ")}</small>;
}

interface DetailsProps {
  task: Task;
  mayWrite: boolean;
  tick: (criteria: Task["acceptance_criteria"]) => void;
}

function TaskDetails({ task, mayWrite, tick }: DetailsProps) {
  const { body, summary, acceptance_criteria: criteria } = task;
  if (!body && !summary && criteria.length === 0) return null;
  return (
    <details>
      <summary>{words.details}</summary>
      {body && <Markdown text={body} />}
      {summary && <Markdown text={summary} />}
      {criteria.length > 0 && (
        <ul className="criteria" aria-label={words.criteria}>
          {criteria.map(({ text, done }, at) => (
            <li key={at}>
              <label className="check">
                <input
                  type="checkbox"
                  checked={done}
                  disabled={!mayWrite}
                  onChange={() =>
                    tick(criteria.map((each, place) => place === at ? { ...each, done: !done } : each))}
                />
                <span dir="auto">{text}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
