import { useQuery } from "@tanstack/react-query";
import type { BoardColumn, Stage, TicketSummary } from "../api/types.ts";
import { columnsQuery } from "../data/columns.ts";
import type { ColumnAt } from "../data/tickets.ts";
import { board } from "../words/board.ts";
import { STAGE_ORDER } from "../words/enums.ts";

/** A column as the board draws it: one that a stage has for itself, or a stage that has none. */
export interface DrawnColumn extends ColumnAt {
  /** The column's name among the elements of the page. */
  key: string;
  /** null for a stage that has none for itself. */
  own: BoardColumn | null;
}

/** The columns in the order of the board, or none until they have been read. */
export function useColumns(project: string): DrawnColumn[] | undefined {
  const { data, isError } = useQuery({ ...columnsQuery(project), select: drawn });
  return data ?? (isError ? WHOLE_STAGES : undefined);
}

const drawn = ({ columns }: { columns: BoardColumn[] }): DrawnColumn[] => drawnColumns(columns);

export function drawnColumns(columns: readonly BoardColumn[]): DrawnColumn[] {
  return STAGE_ORDER.flatMap((stage): DrawnColumn[] => {
    const own = columns.filter((column) => column.stage === stage);
    if (own.length === 0) return [{ key: stage, stage, column_id: null, own: null }];
    return own.map((column) => ({ key: column.id, stage, column_id: column.id, own: column }));
  });
}

/** The columns of a project whose stages have none for themselves. */
export const WHOLE_STAGES: DrawnColumn[] = drawnColumns([]);

/** Where a ticket lands that comes into a stage. */
export function firstOf(columns: readonly DrawnColumn[], stage: Stage): DrawnColumn {
  return columns.find((column) => column.stage === stage)!;
}

/** The column in which a ticket is shown. */
export function columnOf(columns: readonly DrawnColumn[], ticket: TicketSummary): DrawnColumn {
  return columns.find(({ stage, column_id }) => stage === ticket.stage && column_id === ticket.column_id) ??
    firstOf(columns, ticket.stage);
}

export function nameOf({ stage, own }: DrawnColumn): string {
  return board.column(stage, own?.name);
}
