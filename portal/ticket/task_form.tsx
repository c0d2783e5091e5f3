import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components";
import { codeOf, sentenceOf } from "../api/client.ts";
import type { Project, Task } from "../api/types.ts";
import { useName, usePeople } from "../app/people.ts";
import { PersonChooser } from "../app/person_chooser.tsx";
import { updateTask } from "../data/tasks.ts";
import { Field } from "../ui/field.tsx";
import { Choice } from "../ui/menu.tsx";
import { app } from "../words/app.ts";
import { ROLES } from "../words/enums.ts";
import { tasks as words } from "../words/ticket.ts";
import type { TaskDraft } from "./task_draft.ts";

interface Props {
  project: Project;
  task: Task;
  all: Task[];
  fields: TaskDraft;
  setFields: (fields: TaskDraft | null) => void;
}

/** All texts of a task, which are edited in their place. */
export function TaskForm({ project, task, all, fields, setFields }: Props) {
  const close = () => setFields(null);
  const change = (part: Partial<TaskDraft>) => setFields({ ...fields, ...part });
  const save = useMutation({
    ...updateTask({ id: project.id, ticketId: task.handoff_request_id }, {
      id: task.id,
      version: fields.version,
    }),
    onSuccess: close,
  });
  function inputOf() {
    const { title, body, role, minutes, criteria, before, assignee } = fields;
    const done = new Set(task.acceptance_criteria.filter((each) => each.done).map(({ text }) => text));
    const lines = criteria.split("\n").map((line) => line.trim()).filter(Boolean);
    return {
      title,
      body: body || null,
      role,
      estimated_minutes: minutes.trim() === "" ? null : Number(minutes),
      depends_on_task_ids: before,
      assignee_user_id: assignee,
      acceptance_criteria: lines.map((text) => ({ text, done: done.has(text) })),
    };
  }
  const send = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(inputOf());
  };
  const others = all.filter(({ id }) => id !== task.id);
  const toggle = (id: string) =>
    change({
      before: fields.before.includes(id)
        ? fields.before.filter((each) => each !== id)
        : [...fields.before, id],
    });
  return (
    <form className="inline-form" onSubmit={send}>
      {save.error && (
        <p role="alert" className="refusal">
          {codeOf(save.error) === "version_conflict" ? words.changedMeanwhile : sentenceOf(save.error)}
        </p>
      )}
      <Field
        label={words.title}
        isRequired
        autoFocus
        maxLength={200}
        value={fields.title}
        onChange={(title) => change({ title })}
      />
      <Field
        label={words.body}
        rows={3}
        maxLength={10_000}
        value={fields.body}
        onChange={(body) => change({ body })}
      />
      <div className="row">
        <Choice
          label={words.role}
          words={ROLES}
          value={fields.role}
          onChange={(role) => role && change({ role })}
        />
        <Field
          label={words.minutes}
          type="number"
          value={fields.minutes}
          onChange={(minutes) => change({ minutes })}
        />
      </div>
      <Assignee project={project} id={fields.assignee} change={(assignee) => change({ assignee })} />
      <Field
        label={words.criteriaLines}
        rows={3}
        value={fields.criteria}
        onChange={(criteria) => change({ criteria })}
      />
      {others.length > 0 && (
        <fieldset className="before">
          <legend className="label">{words.dependsOn}</legend>
          {others.map(({ id, sequence, title }) => (
            <label key={id} className="check">
              <input type="checkbox" checked={fields.before.includes(id)} onChange={() => toggle(id)} />
              <span dir="auto">{sequence}. {title}</span>
            </label>
          ))}
        </fieldset>
      )}
      <div className="row">
        <Button type="submit" className="button primary" isPending={save.isPending}>{app.save}</Button>
        <Button className="button quiet" onPress={close}>{app.cancel}</Button>
      </div>
    </form>
  );
}

interface AssigneeProps {
  project: Project;
  id: string | null;
  change: (id: string | null) => void;
}

function Assignee({ project, id, change }: AssigneeProps) {
  const [typed, type] = useState("");
  const name = useName(project.id, id);
  const { people, ...more } = usePeople(project.id, id === null && typed.trim() ? typed : null);
  if (id === null) {
    return (
      <PersonChooser
        label={words.assignee}
        act={words.assign}
        typed={typed}
        type={type}
        found={people}
        {...more}
        choose={change}
      />
    );
  }
  return (
    <p className="row">
      <span className="label">{words.assignee}</span> {name}
      <Button className="button quiet" onPress={() => change(null)}>{words.unassign}</Button>
    </p>
  );
}
