import type postgres from "postgres";

/** The types that the client parses beyond those of postgres.js. */
type Parsed = { int8: number; date: string; day: string };

/** The client. It is a pool on a server, and one connection on the embedded database. */
export type Sql = postgres.Sql<Parsed>;
/**
 * A transaction's handle. As long as the transaction runs, every statement of its caller must use
 * this handle.
 */
export type TransactionSql = postgres.TransactionSql<Parsed>;
/** The handle that a verb gets, which is the client or the handle of a transaction. */
export type Db = Sql | TransactionSql;

/** A part of a statement. */
export type Fragment = postgres.Fragment;
