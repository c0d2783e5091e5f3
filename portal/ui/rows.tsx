import type { ReactNode } from "react";
import { sentenceOf } from "../api/client.ts";
import { app } from "../words/app.ts";

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
  if (rows?.length === 0) return <p className="empty">{empty}</p>;
  return (
    <ul className="rows" aria-label={label} aria-busy={!rows}>
      {rows?.map((row) => <li key={keyOf(row)}>{children(row)}</li>)}
    </ul>
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
