import type postgres from "postgres";

/** What the client parses beyond postgres.js' own types. */
type Parsed = { int8: number; date: string };

/** The client: a pool on a server, one connection on the embedded database. */
export type Sql = postgres.Sql<Parsed>;
/** A transaction's handle. While it lives, everything its caller sends must go through it. */
export type TransactionSql = postgres.TransactionSql<Parsed>;
/** What a verb takes: the client, or the transaction it takes part in. */
export type Db = Sql | TransactionSql;

/** A part of a statement. */
export type Fragment = postgres.Fragment;
