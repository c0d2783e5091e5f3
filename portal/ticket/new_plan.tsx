import type { ReactNode } from "react";
import { part } from "../api/load.ts";
import type { Inputs, Label, Project, TicketSummary } from "../api/types.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Flag, StageIcon } from "../ui/icons.tsx";
import { LabelTag } from "../ui/label_tag.tsx";
import { type Opened, Opener } from "../ui/menu.tsx";
import { newPlan } from "../words/pickers.ts";
import { plan as words } from "../words/plan.ts";
import { DayField } from "./day_field.tsx";

const PersonPicker = part(async () => (await import("./pickers.tsx")).PersonPicker);
const LabelsPicker = part(async () => (await import("./pickers.tsx")).LabelsPicker);
const MilestonePicker = part(async () => (await import("./pickers.tsx")).MilestonePicker);
const TicketPicker = part(async () => (await import("./pickers.tsx")).TicketPicker);

/** The plan of a ticket that is about to be created, with the names that the form shows. */
export interface NewPlan {
  assignee: { id: string; name: string; kind: "human" | "bot" } | null;
  labels: Pick<Label, "id" | "name" | "color">[];
  due_on: string | null;
  milestone: { id: string; name: string } | null;
  parent: Pick<TicketSummary, "id" | "ticket_ref" | "title" | "stage"> | null;
}

export const NO_PLAN: NewPlan = { assignee: null, labels: [], due_on: null, milestone: null, parent: null };

/** The fields that a plan sets. A caller who plans nothing sends none of them. */
export function fieldsOf({ assignee, labels, due_on, milestone, parent }: NewPlan) {
  const fields: Partial<Inputs["tickets"]["create"]> = {
    ...(assignee && { assignee_user_id: assignee.id }),
    ...(labels.length > 0 && { labels: labels.map(({ name }) => name) }),
    ...(due_on && { due_on }),
    ...(milestone && { milestone_id: milestone.id }),
    ...(parent && { parent_id: parent.id }),
  };
  return fields;
}

interface Props {
  project: Project;
  value: NewPlan;
  change: (part: Partial<NewPlan>) => void;
}

/** Who does the new ticket, its labels, its day, its milestone and its parent. */
export function PlanOptions({ project, value, change }: Props) {
  const { assignee, labels, due_on, milestone, parent } = value;
  return (
    <fieldset className="new-plan">
      <legend className="label">{newPlan.title}</legend>
      <Pick
        label={words.assignee}
        value={assignee?.name}
        opened={(opened) => (
          <PersonPicker
            {...opened}
            project={project}
            value={assignee?.id ?? null}
            pick={(person) =>
              change({ assignee: person && { id: person.id, name: person.name, kind: person.kind } })}
          />
        )}
      >
        {assignee && <Avatar name={assignee.name} isAgent={assignee.kind === "bot"} />}
        <span className="clip">{assignee?.name}</span>
      </Pick>
      <Pick
        label={words.labels}
        value={labels.map(({ name }) => name).join(", ") || undefined}
        opened={(opened) => (
          <LabelsPicker
            {...opened}
            project={project}
            value={new Set(labels.map(({ id }) => id))}
            set={({ id, name, color }, isOn) => {
              const others = labels.filter((label) => label.id !== id);
              change({ labels: isOn ? [...others, { id, name, color }] : others });
            }}
          />
        )}
      >
        <span className="labels">{labels.map((label) => <LabelTag key={label.id} label={label} />)}</span>
      </Pick>
      <Pick
        label={words.milestone}
        value={milestone?.name}
        opened={(opened) => (
          <MilestonePicker
            {...opened}
            project={project}
            value={milestone}
            pick={(next) => change({ milestone: next && { id: next.id, name: next.name } })}
          />
        )}
      >
        <Flag />
        <span className="clip" dir="auto">{milestone?.name}</span>
      </Pick>
      <Pick
        label={words.parent}
        value={parent?.ticket_ref}
        opened={(opened) => (
          <TicketPicker
            {...opened}
            project={project}
            label={words.parent}
            none={words.noParent}
            without={[]}
            chosen={parent ? [parent] : []}
            pick={(next) => change({ parent: typeof next === "string" ? null : next && parentOf(next) })}
          />
        )}
      >
        {parent && <StageIcon stage={parent.stage} />}
        {parent?.ticket_ref}
      </Pick>
      <DayField label={words.due} value={due_on ?? ""} change={(day) => change({ due_on: day || null })} />
    </fieldset>
  );
}

/** A draft keeps no more of the parent than the form shows. */
function parentOf({ id, ticket_ref, title, stage }: NonNullable<NewPlan["parent"]>) {
  return { id, ticket_ref, title, stage };
}

interface PickProps {
  label: string;
  value: string | undefined;
  opened: (opened: Opened) => ReactNode;
  children: ReactNode;
}

function Pick({ label, value, opened, children }: PickProps) {
  return (
    <Opener
      className={`button chip${value === undefined ? "" : " on"}`}
      popup="dialog"
      opened={opened}
    >
      {value === undefined ? label : (
        <>
          <span className="hidden">{label}: {value}</span>
          <span aria-hidden="true" className="choice-value">{children}</span>
        </>
      )}
    </Opener>
  );
}
