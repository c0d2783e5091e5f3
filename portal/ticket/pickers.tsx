import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import type { Label, Person, Project, TicketSummary } from "../api/types.ts";
import { usePeople } from "../app/people.ts";
import { named, type Option, Picker } from "../app/picker.tsx";
import { sayRefused } from "../app/toasts.tsx";
import { createLabel, labelsQuery } from "../data/labels.ts";
import { meQuery } from "../data/me.ts";
import { milestonesQuery } from "../data/milestones.ts";
import { peopleQuery } from "../data/projects.ts";
import { foundQuery } from "../data/tickets.ts";
import { Avatar } from "../ui/avatar.tsx";
import { dayOf, useToday } from "../ui/days.ts";
import { Close, Flag, Link, Plus, StageIcon } from "../ui/icons.tsx";
import { LabelDot } from "../ui/label_tag.tsx";
import { wordsOf } from "../ui/marked.tsx";
import type { Opened } from "../ui/menu.tsx";
import { pickers } from "../words/pickers.ts";
import { plan as words } from "../words/plan.ts";

const NONE = "none";
/** The most people that are offered without a typed name. */
const MOST_PEOPLE = 50;

type MilestoneMark = { id: string; name: string };

interface PersonProps extends Opened {
  project: Project;
  value: string | null;
  pick: (person: Person | null) => void;
}

/** Chooses who does a ticket, among those who may write in the project. */
export function PersonPicker({ project, value, pick, ...opened }: PersonProps) {
  const [typed, type] = useState("");
  const { data: me } = useQuery(meQuery);
  const { data: own } = useQuery({
    ...peopleQuery(project.id, { user_id: me?.user.id ?? "" }),
    enabled: me !== undefined,
  });
  const { people, hasMore, isPending } = usePeople(project.id, typed, MOST_PEOPLE);
  const first = named(own?.people ?? [], typed);
  const all = [...first, ...people.filter(({ id }) => id !== me?.user.id)].filter(mayBeGiven);
  const nobody: Option = { id: NONE, name: words.nobody, icon: <Close /> };
  return (
    <Picker
      {...opened}
      label={words.assignee}
      placeholder={pickers.findPerson}
      typed={typed}
      type={type}
      isPending={isPending}
      chosen={new Set([value ?? NONE])}
      options={[
        ...(value !== null && typed === "" ? [nobody] : []),
        ...all.map(({ id, name, email, kind }) => ({
          id,
          name: id === me?.user.id ? pickers.you(name) : name,
          icon: <Avatar name={name} isAgent={kind === "bot"} />,
          hint: kind === "bot" ? pickers.bot : email,
        })),
      ]}
      pick={(id) => pick(all.find((one) => one.id === id) ?? null)}
      empty={pickers.noSuchPerson}
      hint={hasMore ? pickers.more : undefined}
    />
  );
}

function mayBeGiven({ role, deactivated_at }: Person): boolean {
  return role !== "viewer" && deactivated_at === null;
}

interface LabelsProps extends Opened {
  project: Project;
  /** Ids of the labels that are set. */
  value: ReadonlySet<string>;
  set: (label: Pick<Label, "id" | "name" | "color">, isOn: boolean) => void;
}

const CREATE = "create";

/** Chooses labels. A label that isn't there yet is created by its name. */
export function LabelsPicker({ project, value, set, ...opened }: LabelsProps) {
  const [typed, type] = useState("");
  const { data, isPending } = useQuery(labelsQuery(project.id));
  const labels = data?.labels ?? [];
  const name = typed.trim();
  const isThere = labels.some((label) => sameName(label.name, name));
  const create = () =>
    createLabel({ id: project.id, name }).then((label) => (type(""), set(label, true)), sayRefused);
  return (
    <Picker
      {...opened}
      label={words.labels}
      placeholder={pickers.findLabel}
      typed={typed}
      type={type}
      isMany
      isPending={isPending}
      chosen={value}
      options={[
        ...named(labels, typed).map(({ id, name, color, description }) => ({
          id,
          name,
          icon: <LabelDot color={color} />,
          hint: description,
        })),
        ...(data && name !== "" && !isThere
          ? [{ id: CREATE, name: pickers.createLabel(name), icon: <Plus /> }]
          : []),
      ]}
      pick={(id) => {
        const label = labels.find((each) => each.id === id);
        if (label) set(label, !value.has(id));
        else void create();
      }}
      empty={pickers.noSuchLabel}
    />
  );
}

function sameName(one: string, other: string): boolean {
  const plain = (name: string) => name.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase();
  return plain(one) === plain(other);
}

interface MilestoneProps extends Opened {
  project: Project;
  value: MilestoneMark | null;
  pick: (milestone: MilestoneMark | null) => void;
}

export function MilestonePicker({ project, value, pick, ...opened }: MilestoneProps) {
  const [typed, type] = useState("");
  const today = useToday(project.time_zone);
  const { data, isPending } = useQuery(milestonesQuery(project.id));
  const all = (data?.milestones ?? []).filter(({ state, id }) => state === "open" || id === value?.id);
  const none: Option = { id: NONE, name: pickers.noMilestone, icon: <Close /> };
  return (
    <Picker
      {...opened}
      label={words.milestone}
      placeholder={pickers.findMilestone}
      typed={typed}
      type={type}
      isPending={isPending}
      chosen={new Set([value?.id ?? NONE])}
      options={[
        ...(value && typed === "" ? [none] : []),
        ...named(all, typed).map(({ id, name, due_on, state, open_tickets, closed_tickets }) => ({
          id,
          name,
          icon: <Flag />,
          hint: [
            state === "closed" && pickers.closedMilestone,
            due_on && dayOf(due_on, today),
            pickers.milestoneProgress(closed_tickets, open_tickets + closed_tickets),
          ].filter(Boolean).join(" · "),
        })),
      ]}
      pick={(id) => pick(all.find((one) => one.id === id) ?? null)}
      empty={all.length > 0 ? pickers.noSuchMilestone : pickers.noMilestones}
    />
  );
}

/** A ref of any project. */
const REF = /^[a-z][a-z0-9]{1,9}-\d{1,9}$/i;
/** The least length of a text that is sent to the search. */
const SHORTEST = 2;
const MOST_TICKETS = 20;

type Chosen = Pick<TicketSummary, "id" | "ticket_ref" | "title" | "stage">;

interface TicketProps extends Opened {
  project: Project;
  label: string;
  /** Tickets that are chosen already. They stand first. */
  chosen: readonly Chosen[];
  isMany?: boolean;
  /** The words that take the choice back. */
  none?: string;
  /** Ids of tickets that can't be chosen. */
  without: readonly string[];
  /** Whether a ticket of another project can be named by its ref. */
  isAnyProject?: boolean;
  /** Takes the ticket, or the ref of a ticket of another project, or null for none. */
  pick: (ticket: TicketSummary | Chosen | string | null) => void;
}

/** Finds an open ticket of the project by its words, filters or ref. */
export function TicketPicker(props: TicketProps) {
  const { project, label, chosen, isMany = false, none, without, isAnyProject = false, pick, ...opened } =
    props;
  const [typed, type] = useState("");
  const asked = useDeferredValue(typed.trim());
  const { data, isPending, isPlaceholderData } = useQuery({
    ...foundQuery(project.id, {
      status: "open",
      limit: MOST_TICKETS,
      ...(asked.length >= SHORTEST && { q: asked }),
    }),
    placeholderData: keepPreviousData,
  });
  const isLate = isPlaceholderData || asked !== typed.trim();
  const known = chosen.filter((ticket) => isFound(ticket, typed));
  const left = new Set([...without, ...chosen.map(({ id }) => id)]);
  // Until the answer to the last key has come, the answer before it is shown as far as it fits.
  const found = (data?.tickets ?? []).filter((ticket) =>
    !left.has(ticket.id) && (!(isLate || asked.length < SHORTEST) || isFound(ticket, typed))
  );
  const ref = typed.trim().toUpperCase();
  const isOther = isAnyProject && REF.test(ref) && !ref.startsWith(`${project.key}-`);
  return (
    <Picker
      {...opened}
      label={label}
      placeholder={pickers.findTicket}
      typed={typed}
      type={type}
      isMany={isMany}
      isPending={isPending || isLate}
      chosen={new Set(chosen.map(({ id }) => id))}
      options={[
        ...(none !== undefined && chosen.length > 0 && typed === ""
          ? [{ id: NONE, name: none, icon: <Close /> }]
          : []),
        ...[...known, ...found].map(({ id, ticket_ref, title, stage }) => ({
          id,
          name: `${ticket_ref} ${title}`,
          icon: <StageIcon stage={stage} />,
        })),
        ...(isOther ? [{ id: ref, name: pickers.takeRef(ref), icon: <Link /> }] : []),
      ]}
      pick={(id) => pick(id === NONE ? null : [...known, ...found].find((ticket) => ticket.id === id) ?? id)}
      empty={pickers.noSuchTicket}
    />
  );
}

function isFound({ ticket_ref, title }: Chosen, typed: string): boolean {
  const own = wordsOf(`${ticket_ref} ${title}`);
  return wordsOf(typed).every((each) => own.some((word) => word.startsWith(each)));
}
