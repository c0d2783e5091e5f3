import { useState } from "react";
import { part } from "../api/load.ts";
import type { Label, Priority, Project, TicketSummary } from "../api/types.ts";
import { Assignee, Flag, PriorityIcon, Tag } from "../ui/icons.tsx";
import { MenuButton, type Opened, Opener } from "../ui/menu.tsx";
import { PRIORITIES } from "../words/enums.ts";
import { plan as words } from "../words/plan.ts";
import { ticket as ticketWords } from "../words/ticket.ts";
import type { FieldChange } from "./use_bulk_change.ts";

const PersonPicker = part(async () => (await import("../ticket/pickers.tsx")).PersonPicker);
const LabelsPicker = part(async () => (await import("../ticket/pickers.tsx")).LabelsPicker);
const MilestonePicker = part(async () => (await import("../ticket/pickers.tsx")).MilestonePicker);

interface Props {
  project: Project;
  /** The selected tickets. */
  tickets: () => TicketSummary[];
  change: (tickets: TicketSummary[], change: FieldChange) => Promise<void>;
}

/** Sets who does the selected tickets, what they are about, and what they belong to. */
export function BulkFields({ project, tickets, change }: Props) {
  const set = (fields: FieldChange["set"], former: FieldChange["former"]) =>
    void change(tickets(), { set: fields, former });
  return (
    <>
      <Opener
        className="button"
        popup="dialog"
        opened={(opened) => (
          <PersonPicker
            {...opened}
            project={project}
            value={sharedBy(tickets(), ({ assignee_user_id }) => assignee_user_id)}
            pick={(person) =>
              set({ assignee_user_id: person?.id ?? null }, ({ assignee_user_id }) => ({ assignee_user_id }))}
          />
        )}
      >
        <Assignee />
        <span>{words.assignee}</span>
      </Opener>
      <Opener
        className="button"
        popup="dialog"
        opened={(opened) => <BulkLabels {...opened} project={project} tickets={tickets} change={change} />}
      >
        <Tag />
        <span>{words.labels}</span>
      </Opener>
      <Opener
        className="button"
        popup="dialog"
        opened={(opened) => (
          <MilestonePicker
            {...opened}
            project={project}
            value={milestoneOf(tickets())}
            pick={(next) => set({ milestone_id: next?.id ?? null }, ({ milestone_id }) => ({ milestone_id }))}
          />
        )}
      >
        <Flag />
        <span>{words.milestone}</span>
      </Opener>
      <MenuButton
        className="button"
        label={ticketWords.priority}
        acts={(Object.entries(PRIORITIES) as [Priority, string][]).map(([priority, label]) => ({
          label,
          icon: <PriorityIcon priority={priority} />,
          run: () => set({ priority }, ({ priority }) => ({ priority })),
        }))}
      >
        <PriorityIcon priority="medium" />
        <span>{ticketWords.priority}</span>
      </MenuButton>
    </>
  );
}

/** The value that all tickets have; an empty text if they differ, because none is chosen then. */
function sharedBy(tickets: TicketSummary[], valueOf: (ticket: TicketSummary) => string | null) {
  const values = new Set(tickets.map(valueOf));
  return values.size === 1 ? [...values][0]! : "";
}

function milestoneOf(tickets: TicketSummary[]) {
  const id = sharedBy(tickets, ({ milestone_id }) => milestone_id);
  const { milestone_name } = tickets.find(({ milestone_id }) => milestone_id === id) ?? {};
  return id === null ? null : { id, name: milestone_name ?? "" };
}

/** A label is chosen if all selected tickets have it. */
function BulkLabels({ tickets, change, ...opened }: Props & Opened) {
  const [[first, ...others]] = useState(tickets);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(first?.labels.map(({ id }) => id).filter((id) => others.every((one) => has(one, id)))),
  );
  const set = ({ id, name }: Pick<Label, "id" | "name">, isOn: boolean) => {
    setChosen((before) => isOn ? new Set([...before, id]) : before.difference(new Set([id])));
    // A ticket that had it before keeps it, and one that lacked it still does.
    const [here, back] = isOn
      ? ["add_labels", "remove_labels"] as const
      : ["remove_labels", "add_labels"] as const;
    void change(tickets(), { set: { [here]: [name] }, former: () => ({ [back]: [name] }) });
  };
  return <LabelsPicker {...opened} value={chosen} set={set} />;
}

function has({ labels }: TicketSummary, id: string): boolean {
  return labels.some((label) => label.id === id);
}
