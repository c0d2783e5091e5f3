import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useState } from "react";
import { part } from "../api/load.ts";
import type { Project, Ticket } from "../api/types.ts";
import { useCommands } from "../app/commands.ts";
import { type Keys, usePartKeys } from "../app/keys.ts";
import { meQuery } from "../data/me.ts";
import { Avatar } from "../ui/avatar.tsx";
import { dayOf, urgencyOf, useToday } from "../ui/days.ts";
import { Calendar, Flag, Stop, Warn } from "../ui/icons.tsx";
import { LabelTag } from "../ui/label_tag.tsx";
import { type Opened, Opener } from "../ui/menu.tsx";
import { plan as words, planCommands } from "../words/plan.ts";
import { useLabels } from "./use_labels.ts";
import { useChoose, useSave } from "./use_save.ts";

// Loaded when one of them is opened.
const PersonPicker = part(async () => (await import("./pickers.tsx")).PersonPicker);
const LabelsPicker = part(async () => (await import("./pickers.tsx")).LabelsPicker);
const MilestonePicker = part(async () => (await import("./pickers.tsx")).MilestonePicker);
const TicketPicker = part(async () => (await import("./pickers.tsx")).TicketPicker);
const BlockersPicker = part(async () => (await import("./blockers_picker.tsx")).BlockersPicker);
const DaysForm = part(async () => (await import("./fact_forms.tsx")).DaysForm);
const EstimateForm = part(async () => (await import("./fact_forms.tsx")).EstimateForm);

interface Props {
  project: Project;
  ticket: Ticket;
  mayWrite: boolean;
  /** The list of facts, in which these stand. */
  list: RefObject<HTMLElement | null>;
}

/** The facts that a key opens. */
const KEYS = {
  assignee: "a",
  labels: "l",
  due: "d",
  estimate: "e",
  milestone: "m",
  parent: "p",
  blockers: "b",
} as const;

type Name = keyof typeof KEYS;
const NAMES = Object.keys(KEYS) as Name[];

/** The milliseconds in which the palette closes and gives the focus back. */
const AFTER_PALETTE_MS = 50;

/** Who does a ticket, what it is about, when it is due, and what it belongs to and waits for. */
export function PlanFacts({ project, ticket, mayWrite, list }: Props) {
  const choose = useChoose(project, ticket);
  const save = useSave(project, ticket);
  const today = useToday(project.time_zone);
  const labels = useLabels(project, ticket);
  const stateOf = useOpenFact(project, ticket, { mayWrite, list });
  const { assignee, assignee_user_id, due_on, start_on, estimate, milestone_id, milestone_name } = ticket;
  const { parent_id, parent_ref, open_blockers } = ticket;
  const urgency = due_on && ticket.status === "open" ? urgencyOf(due_on, today) : "later";
  const milestone = milestone_id === null ? null : { id: milestone_id, name: milestone_name ?? "" };
  const shared = { stateOf, mayWrite };
  return (
    <>
      <Fact
        {...shared}
        name="assignee"
        value={assignee?.name ?? null}
        opened={(opened) => (
          <PersonPicker
            {...opened}
            project={project}
            value={assignee_user_id}
            pick={(person) => choose({ assignee_user_id: person?.id ?? null }, words.assignee)}
          />
        )}
      >
        {assignee && <Avatar name={assignee.name} isAgent={assignee.kind === "bot"} />}
        <span className="clip">{assignee?.name ?? words.nobody}</span>
      </Fact>
      <Fact
        {...shared}
        name="due"
        value={due_on || start_on ? daysIn({ due_on, start_on }, today, urgency) : null}
        opened={(opened) => (
          <DaysForm {...opened} today={today} value={{ due_on, start_on }} save={save} base={ticket} />
        )}
      >
        <span className={`due ${urgency}`}>
          {urgency === "late" ? <Warn /> : due_on && <Calendar />}
          {due_on || start_on ? shortDays({ due_on, start_on }, today) : words.none}
        </span>
      </Fact>
      <Fact
        {...shared}
        name="estimate"
        value={estimate === null ? null : String(estimate)}
        opened={(opened) => <EstimateForm {...opened} value={estimate} save={save} base={ticket} />}
      >
        {estimate ?? words.none}
      </Fact>
      <Fact
        {...shared}
        name="milestone"
        value={milestone?.name ?? null}
        opened={(opened) => (
          <MilestonePicker
            {...opened}
            project={project}
            value={milestone}
            pick={(next) => choose({ milestone_id: next?.id ?? null }, words.milestone)}
          />
        )}
      >
        {milestone && <Flag />}
        <span className="clip" dir="auto">{milestone?.name ?? words.none}</span>
      </Fact>
      <Fact
        {...shared}
        name="parent"
        value={parent_ref}
        opened={(opened) => (
          <TicketPicker
            {...opened}
            project={project}
            label={words.parent}
            none={words.noParent}
            without={[ticket.id]}
            chosen={parent_id && parent_ref
              ? [{ id: parent_id, ticket_ref: parent_ref, title: "", stage: ticket.stage }]
              : []}
            pick={(next) =>
              choose({ parent_id: next && typeof next !== "string" ? next.id : next }, words.parent)}
          />
        )}
      >
        {parent_ref ?? words.none}
      </Fact>
      <Fact
        {...shared}
        name="blockers"
        value={open_blockers > 0 ? words.open(open_blockers) : null}
        opened={(opened) => <BlockersPicker {...opened} project={project} ticket={ticket} />}
      >
        {open_blockers > 0
          ? (
            <span className="blocked">
              <Stop />
              {words.open(open_blockers)}
            </span>
          )
          : words.none}
      </Fact>
      <Fact
        {...shared}
        name="labels"
        isWide
        value={labels.shown.map(({ name }) => name).join(", ") || null}
        opened={(opened) => (
          <LabelsPicker
            {...opened}
            project={project}
            value={new Set(labels.shown.map(({ id }) => id))}
            set={labels.set}
          />
        )}
      >
        {labels.shown.length > 0
          ? (
            <span className="labels">
              {labels.shown.map((label) => <LabelTag key={label.id} label={label} />)}
            </span>
          )
          : words.none}
      </Fact>
    </>
  );
}

type Days = Pick<Ticket, "due_on" | "start_on">;

function shortDays({ due_on, start_on }: Days, today: string): string {
  const [due, start] = [due_on && dayOf(due_on, today), start_on && dayOf(start_on, today)];
  if (due && start) return words.span(start, due);
  return due || words.from(start || "");
}

/** The days for a screen reader. Their colour says no more than the words. */
function daysIn(days: Days, today: string, urgency: string): string {
  const shown = shortDays(days, today);
  return urgency === "late" && days.due_on ? `${shown}, ${words.late(dayOf(days.due_on, today))}` : shown;
}

interface FactProps {
  name: Name;
  /** The value in words, or null if nothing is set. Readers who can't set it don't see it then. */
  value: string | null;
  stateOf: (name: Name) => readonly [boolean, (isOpen: boolean) => void];
  mayWrite: boolean;
  isWide?: boolean;
  opened: (opened: Opened) => ReactNode;
  children: ReactNode;
}

function Fact({ name, value, stateOf, mayWrite, isWide = false, opened, children }: FactProps) {
  if (value === null && !mayWrite) return null;
  const label = words[name];
  const none = name === "assignee" ? words.nobody : words.none;
  return (
    <div className={isWide ? "wide" : undefined} data-fact={name}>
      <dt>{label}</dt>
      <dd>
        <Opener
          className={`button quiet fact-value${value === null ? " unset" : ""}`}
          popup="dialog"
          state={stateOf(name)}
          isDisabled={!mayWrite}
          opened={opened}
        >
          <span className="hidden">{label}: {value ?? none}</span>
          <span aria-hidden="true" className="choice-value">{children}</span>
        </Opener>
      </dd>
    </div>
  );
}

/** The fact that is open: by its button, by its key, or by its command. */
function useOpenFact(project: Project, ticket: Ticket, { mayWrite, list }: Pick<Props, "mayWrite" | "list">) {
  const choose = useChoose(project, ticket);
  const { data: me } = useQuery(meQuery);
  const [open, setOpen] = useState<Name | null>(null);
  const show = (name: Name) => {
    list.current?.querySelector(`[data-fact=${name}]`)?.scrollIntoView({ block: "nearest" });
    setOpen(name);
  };
  const keys: Keys = Object.fromEntries(NAMES.map((name) => [KEYS[name], () => show(name)]));
  usePartKeys(() => list.current?.closest(".panel, .ticket-page"), keys, mayWrite);
  const { ticket_ref: ref } = ticket;
  const own = me?.user.id;
  const toMe = {
    id: "plan-me",
    name: planCommands.assignMe(ref),
    run: () => choose({ assignee_user_id: own! }, words.assignee),
  };
  const sets = NAMES.map((name) => ({
    id: `plan-${name}`,
    name: planCommands.set[name](ref),
    keys: KEYS[name].toUpperCase(),
    run: () => void setTimeout(() => show(name), AFTER_PALETTE_MS),
  }));
  useCommands(mayWrite ? [...(own && ticket.assignee_user_id !== own ? [toMe] : []), ...sets] : []);
  return (name: Name) => [open === name, (isOpen: boolean) => setOpen(isOpen ? name : null)] as const;
}
