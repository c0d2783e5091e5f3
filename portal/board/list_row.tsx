import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import type { TicketSummary } from "../api/types.ts";
import { PriorityIcon, TypeIcon, Warn } from "../ui/icons.tsx";
import { board } from "../words/board.ts";
import { list } from "../words/list.ts";
import { PRIORITIES, TYPES } from "../words/enums.ts";
import { type ColumnName, COLUMNS } from "./list_columns.tsx";
import { AssigneeMark, BlockedMark, ChildrenMark, DueMark, EstimateMark, LabelMarks } from "./plan_marks.tsx";

/** The facts that all rows of a list share. */
export interface RowsProps {
  columns: readonly ColumnName[];
  selected: ReadonlySet<string>;
  /** The ref of the ticket in the panel. */
  open: string | undefined;
  toggle: (id: string) => void;
  /** The day in the project's time zone. */
  today: string;
}

export function ListHead({ columns }: Pick<RowsProps, "columns">) {
  return (
    <thead>
      <tr>
        <th scope="col" className="list-check">
          <span className="hidden">{board.select}</span>
        </th>
        <th scope="col">{list.ticket}</th>
        {columns.map((name) => (
          <th key={name} scope="col" className={COLUMNS[name].className}>{list.columns[name]}</th>
        ))}
      </tr>
    </thead>
  );
}

/** The number of columns of a row, for cells that take all of them. */
export function widthOf(columns: readonly ColumnName[]): number {
  return columns.length + 2;
}

/** Stands where rows will be as soon as they are read. */
export function GhostRows({ columns, rows }: Pick<RowsProps, "columns"> & { rows: number }) {
  return Array.from({ length: rows }, (_, place) => (
    <tr key={place} aria-hidden="true">
      <td colSpan={widthOf(columns)}>
        <div className="ghost-line" />
      </td>
    </tr>
  ));
}

export function ListRows(
  { tickets, columns, selected, open, toggle, today }: RowsProps & { tickets: TicketSummary[] },
) {
  return tickets.map((ticket) => (
    <Row
      key={ticket.id}
      ticket={ticket}
      columns={columns}
      isSelected={selected.has(ticket.id)}
      isOpen={open === ticket.ticket_ref}
      toggle={toggle}
      today={today}
    />
  ));
}

interface RowProps extends Pick<RowsProps, "columns" | "toggle" | "today"> {
  ticket: TicketSummary;
  isSelected: boolean;
  isOpen: boolean;
}

const Row = memo(function Row({ ticket, columns, isSelected, isOpen, toggle, today }: RowProps) {
  const { id, ticket_ref, title, priority, request_type, blocking } = ticket;
  return (
    <tr data-card={id} className={`${isSelected ? "selected" : ""}${isOpen ? " open" : ""}`}>
      <td className="list-check">
        <input
          type="checkbox"
          aria-label={`${board.select} ${ticket_ref}`}
          checked={isSelected}
          onChange={() => toggle(id)}
        />
      </td>
      <th scope="row">
        <div className="list-cell">
          <Link to="." search={(old: object) => ({ ...old, ticket: ticket_ref })} className="list-title">
            <span title={PRIORITIES[priority]}>
              <PriorityIcon priority={priority} />
              <span className="hidden">{PRIORITIES[priority]}</span>
            </span>
            <span title={TYPES[request_type]}>
              <TypeIcon type={request_type} />
              <span className="hidden">{TYPES[request_type]}</span>
            </span>
            <span className="ref">{ticket_ref}</span>
            <span className="clip" dir="auto">{title}</span>
            {blocking && (
              <span className="blocking">
                <Warn />
                <span className="hidden">{board.blockingMark}</span>
              </span>
            )}
          </Link>
          <span className="list-plan">
            {MARKS.map(([name, mark]) => (
              <Mark key={name} isInColumn={columns.includes(name)}>{mark(ticket, today)}</Mark>
            ))}
          </span>
        </div>
      </th>
      {columns.map((name) => (
        <td key={name} className={COLUMNS[name].className}>{COLUMNS[name].cell(ticket, today)}</td>
      ))}
    </tr>
  );
});

/** The plan beside the title. In a wide window, a column shows its part in its own place. */
const MARKS: [ColumnName, (ticket: TicketSummary, today: string) => ReactNode][] = [
  ["blocked", (ticket) => <BlockedMark ticket={ticket} />],
  ["labels", (ticket) => <LabelMarks ticket={ticket} />],
  [
    "due",
    ({ due_on, status }, today) => <DueMark due={due_on} today={today} isOpen={status === "open"} />,
  ],
  ["estimate", (ticket) => <EstimateMark ticket={ticket} />],
  ["children", (ticket) => <ChildrenMark ticket={ticket} />],
  ["assignee", (ticket) => <AssigneeMark ticket={ticket} />],
];

function Mark({ isInColumn, children }: { isInColumn: boolean; children: ReactNode }) {
  return isInColumn ? <span className="narrow-mark">{children}</span> : children;
}
