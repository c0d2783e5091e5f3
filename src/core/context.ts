import type { Db, Sql } from "../../db/open.ts";
import type { DatabaseHealth } from "../../db/health_check.ts";
import type { AccessCache } from "./access_cache.ts";
import type { AnswerBudget } from "./answer_budget.ts";
import type { Batches } from "./batches.ts";
import type { Config } from "./config.ts";
import type { Feed } from "./feed.ts";
import type { Embedder } from "../embedding/embedder.ts";
import type { Limits } from "./limits.ts";
import type { Sender } from "../sending/sender.ts";
import type { Mailer } from "./mailer.ts";
import type { Metrics } from "./metrics.ts";
import type { Queue } from "./queue.ts";
import type { Author, ProjectRole, Scope, UserKind, UserRole } from "./schema.ts";
import type { Secrets } from "./secrets.ts";

/**
 * The parts that all calls of one process share. core/services.ts builds them once. They are passed
 * as arguments and never imported.
 */
interface SharedServices {
  config: Config;
  databaseHealth: DatabaseHealth;
  secrets: Secrets;
  access: AccessCache;
  batches: Batches;
  limits: Limits;
  queue: Queue;
  embedder: Embedder;
  metrics: Metrics;
  /** Null when mail isn't set up. */
  mailer: Mailer | null;
  feed: Feed;
  sender: Sender;
  /**
   * Aborts when the service drains. For a call that may wait (`Meta.waits`), it also aborts when
   * the client has gone.
   */
  signal: AbortSignal;
}

/**
 * The shared parts with the database client. The HTTP layer and the jobs make a context from them
 * for each call.
 */
export interface Services extends SharedServices {
  sql: Sql;
}

/** The signed-in user, as read with the credential. */
export interface User {
  id: string;
  email: string;
  name: string;
  kind: UserKind;
  role: UserRole;
  account_id: string;
}

/** The authenticated user and their credential. */
export interface Actor {
  user: User;
  credential:
    | { type: "session"; id: string; via: "bearer" | "cookie" }
    | { type: "key"; id: string; scopes: Scope[]; project_id: string | null };
}

/**
 * The parts that a verb needs to read and write. `db` is the client, or the handle of the
 * transaction that the verb runs in. A verb has no other handle, so inside a transaction it can't
 * write outside of it.
 */
export interface Context extends SharedServices {
  db: Db;
  /**
   * Runs `work` when the transaction has committed, and never when it is rolled back. Outside a
   * transaction it runs `work` at once.
   */
  afterCommit: (work: () => void) => void;
  author: Author;
  requestId: string;
}

/** One call through REST, tRPC or MCP. */
export interface RequestContext extends Context {
  actor: Actor | null;
  /**
   * The reason why the request's credential was refused. It is thrown only where a credential is
   * needed.
   */
  refused: Error | null;
  address: string;
  userAgent: string | null;
  /** `If-Match` and `Idempotency-Key`, or null. */
  ifMatch: string | null;
  idempotencyKey: string | null;
  /** Set if the credential came as a cookie, which refresh must renew. */
  hasCookie: boolean;
  /**
   * Refresh tokens of a browser's session. Browsers send them only to the path of the refresh
   * cookie.
   */
  refreshCookies: readonly string[];
  /**
   * Refuses a request that a page of another site started. Calls that set or remove cookies without
   * a credential use this check.
   */
  refuseCrossSite: () => void;
  /** Header fields for the answer. */
  headers: Headers;
  /**
   * Identifies the caller again, for work that goes on longer than a call. Returns null if no
   * credential came.
   * @throws {AppError} when the credential is refused by now
   */
  identify(): Promise<Actor | null>;
  /**
   * The most bytes of long texts in a list. A list with more bytes ends early, or leaves out the
   * longest texts.
   */
  pageBytes: number;
  /** The limit for the answers of all calls of the request. */
  answerBudget: AnswerBudget;
  /**
   * Set in a batch with a call that waits. The batch as a whole has no turn then, so each of its
   * lists waits for its own.
   */
  eachInTurn: boolean;
  /** The input of a call over tRPC whose body was so long that it was parsed in slices. */
  longInput?: unknown;
}

export interface ActorContext extends RequestContext {
  actor: Actor;
}

/** The project that a call addresses, with the caller's role in it. */
export interface ProjectAccess {
  id: string;
  account_id: string;
  key: string;
  /** The project's current key and all of its former keys. */
  keys: string[];
  role: ProjectRole;
  archived: boolean;
  disabled_roles: string[];
  /** In which a day ends. */
  time_zone: string;
}

export interface ProjectContext extends ActorContext {
  project: ProjectAccess;
}

/**
 * Whether the actor is a bot client, because its credential is an API key or its user is of kind
 * bot. A body can only add this mark, not remove it.
 */
export function isBot(actor: Actor): boolean {
  return actor.credential.type === "key" || actor.user.kind === "bot";
}

export function authorOf(actor: Actor): Author {
  const { user, credential } = actor;
  return credential.type === "key"
    ? { kind: "key", id: user.id, name: user.name, key_id: credential.id }
    : { kind: "user", id: user.id, name: user.name };
}

/** The `afterCommit` of a context outside a transaction. */
export function atOnce(work: () => void): void {
  work();
}

/** The context of work that no caller requested, such as a webhook's effect or a job. */
export function systemContext(services: Services, author: Author, requestId: string): Context {
  return { ...services, db: services.sql, afterCommit: atOnce, author, requestId };
}
