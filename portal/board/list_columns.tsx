import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useState } from "react";
import { part } from "../api/load.ts";
import type { TicketSummary } from "../api/types.ts";
import { meQuery } from "../data/me.ts";
import { Avatar } from "../ui/avatar.tsx";
import { StageIcon } from "../ui/icons.tsx";
import { LabelTag } from "../ui/label_tag.tsx";
import { Opener } from "../ui/menu.tsx";
import { Time } from "../ui/time.tsx";
import { board } from "../words/board.ts";
import { list } from "../words/list.ts";
import { STAGES } from "../words/enums.ts";
import { BlockedMark, ChildrenMark, DueMark, EstimateMark } from "./plan_marks.tsx";
import { RoleTag } from "./role_tag.tsx";
import { WaitingFacts } from "./waiting_facts.tsx";

const ColumnPicker = part(async () => (await import("./column_picker.tsx")).default);

export type ColumnName = keyof typeof list.columns;

interface Column {
  className?: string;
  /** Today is the day in the project's time zone. */
  cell: (ticket: TicketSummary, today: string) => ReactNode;
}

/** The columns beside the ticket, in their order. A narrow window shows few of them. */
export const COLUMNS: Record<ColumnName, Column> = {
  blocked: { className: "wide-only", cell: (ticket) => <BlockedMark ticket={ticket} /> },
  assignee: {
    className: "wide-only",
    cell: ({ assignee }) =>
      assignee && (
        <span className="list-person">
          <Avatar name={assignee.name} isAgent={assignee.kind === "bot"} />
          <span className="clip" dir="auto">{assignee.name}</span>
        </span>
      ),
  },
  labels: {
    className: "wide-only",
    cell: ({ labels }) => (
      <span className="labels list-labels">
        {labels.map((label) => <LabelTag key={label.id} label={label} />)}
      </span>
    ),
  },
  milestone: {
    className: "wide-only",
    cell: ({ milestone_name }) =>
      milestone_name && <span className="list-name" dir="auto">{milestone_name}</span>,
  },
  due: {
    className: "wide-only",
    cell: ({ due_on, status }, today) => <DueMark due={due_on} today={today} isOpen={status === "open"} />,
  },
  estimate: { className: "wide-only", cell: (ticket) => <EstimateMark ticket={ticket} /> },
  children: { className: "wide-only", cell: (ticket) => <ChildrenMark ticket={ticket} /> },
  stage: {
    cell: ({ stage }) => (
      <span className="list-stage">
        <StageIcon stage={stage} />
        <span>{STAGES[stage]}</span>
      </span>
    ),
  },
  roles: {
    className: "wide-only",
    cell: ({ roles }) => (
      <span className="list-roles">
        {roles.map(({ role, status }) => <RoleTag key={role} role={role} status={status} />)}
      </span>
    ),
  },
  progress: { className: "wide-only", cell: (ticket) => <Progress ticket={ticket} /> },
  created: { className: "list-time wide-only", cell: ({ created_at }) => <Time at={created_at} /> },
  updated: { className: "list-time", cell: ({ updated_at }) => <Time at={updated_at} /> },
};

const USUAL: readonly ColumnName[] = ["stage", "roles", "progress", "updated"];

/** The columns that the person has chosen in this browser. */
export function useListColumns(): readonly [readonly ColumnName[], (columns: readonly ColumnName[]) => void] {
  const { data: me } = useQuery(meQuery);
  const place = `handoff.columns.${me?.user.id}`;
  const [columns, setColumns] = useState(() => readColumns(place));
  return [columns, (next) => {
    setColumns(next);
    localStorage.setItem(place, JSON.stringify(next));
  }];
}

function readColumns(place: string): readonly ColumnName[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? "null");
    return Array.isArray(kept) ? inOrder(kept) : USUAL;
  } catch {
    return USUAL;
  }
}

/** Columns that this version doesn't know are left out. */
function inOrder(names: readonly unknown[]): ColumnName[] {
  return (Object.keys(COLUMNS) as ColumnName[]).filter((name) => names.includes(name));
}

interface ChoiceProps {
  columns: readonly ColumnName[];
  choose: (columns: readonly ColumnName[]) => void;
}

/** Lets a person choose the columns of the list. */
export function ColumnChoice({ columns, choose }: ChoiceProps) {
  return (
    <Opener
      className="button choice-button chip wide-only"
      opened={(opened) => (
        <Suspense>
          <ColumnPicker
            {...opened}
            columns={columns}
            toggle={(name) =>
              choose(
                inOrder(
                  columns.includes(name) ? columns.filter((each) => each !== name) : [...columns, name],
                ),
              )}
          />
        </Suspense>
      )}
    >
      <span className="choice-value">{list.columnsTitle}</span>
      <span aria-hidden="true" className="caret" />
    </Opener>
  );
}

function Progress({ ticket }: { ticket: TicketSummary }) {
  const { tasks, cases, claimed_by: claim } = ticket;
  return (
    <span className="list-progress">
      {claim && (
        <span title={board.at(claim.name, claim.kind === "agent")}>
          <Avatar name={claim.name} isAgent={claim.kind === "agent"} />
          <span className="hidden">{board.at(claim.name, claim.kind === "agent")}</span>
        </span>
      )}
      <WaitingFacts ticket={ticket} />
      {tasks.total > 0 && (
        <span title={board.tasksDone(tasks.done, tasks.total)}>
          <span aria-hidden="true">{tasks.done}/{tasks.total}</span>
          <span className="hidden">{board.tasksDone(tasks.done, tasks.total)}</span>
        </span>
      )}
      {cases.total > 0 && (
        <span title={board.casesApproved(cases.approved, cases.total)}>
          <span aria-hidden="true">✓ {cases.approved}/{cases.total}</span>
          <span className="hidden">{board.casesApproved(cases.approved, cases.total)}</span>
        </span>
      )}
    </span>
  );
}
