import type { ReactNode } from "react";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import { app } from "../words/app.ts";
import { Ghosts } from "./ghosts.tsx";

interface Props<Row> {
  label: string;
  rows: readonly Row[] | undefined;
  error: unknown;
  keyOf: (row: Row) => string;
  children: (row: Row) => ReactNode;
  empty?: string;
}

/** A list of rows, each with its facts at the left and its buttons at the right. */
export function Rows<Row>({ label, rows, error, keyOf, children, empty = app.nothing }: Props<Row>) {
  if (error) return <p role="alert" className="refusal">{sentenceOf(error)}</p>;
  if (!rows) return <Ghosts rows={2} />;
  if (rows.length === 0) return <p className="empty">{empty}</p>;
  return (
    <ul className="rows" aria-label={label}>
      {rows.map((row) => <li key={keyOf(row)}>{children(row)}</li>)}
    </ul>
  );
}

/** Adds the open row, after somebody else has deleted it, so that nothing vanishes that is being typed. */
export function withOpen<Row extends { id: string }>(rows: readonly Row[] | undefined, open: Row | null) {
  return rows && open && !rows.some(({ id }) => id === open.id) ? [...rows, open] : rows;
}

interface PagedProps<Page, Row> extends Omit<Props<Row>, "rows" | "error"> {
  /** The reading of the pages, by useInfiniteQuery. */
  of: {
    data: { pages: Page[] } | undefined;
    error: unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => Promise<unknown>;
  };
  rowsOf: (page: Page) => readonly Row[];
  /** The words of the button that reads the next page. */
  more?: string;
}

/** A list of rows that is read page by page. */
export function PagedRows<Page, Row>({ of, rowsOf, more = app.showMore, ...props }: PagedProps<Page, Row>) {
  return (
    <>
      <Rows {...props} rows={of.data?.pages.flatMap(rowsOf)} error={of.error} />
      {of.hasNextPage && (
        <Button
          className="button"
          isPending={of.isFetchingNextPage}
          onPress={() => void of.fetchNextPage()}
        >
          {more}
        </Button>
      )}
    </>
  );
}

/** The facts of a row: a name, and smaller ones below it. */
export function RowText({ name, children }: { name: ReactNode; children?: ReactNode }) {
  return (
    <span className="row-text">
      <b dir="auto">{name}</b>
      {children && <small>{children}</small>}
    </span>
  );
}
