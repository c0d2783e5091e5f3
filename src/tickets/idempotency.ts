import { createHash } from "node:crypto";
import type { KeyedPart } from "../core/parts.ts";
import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { jsonb } from "../core/json.ts";
import { IdempotencyKey } from "./schema.ts";

/** The fields that make a creation safe to repeat. */
interface Keyed {
  ticketId: string;
  idempotency_key?: string | undefined;
}

/**
 * Returns the key of a call that may be repeated, from the body's field or from the header, its
 * alias.
 * @throws {AppError} invalid_request if they differ, or if the header is too long
 */
export function idempotencyKey(
  { idempotencyKey: header }: ProjectContext,
  { idempotency_key: field }: Pick<Keyed, "idempotency_key">,
): string | null {
  if (header === null) return field ?? null;
  if (field !== undefined && field !== header) {
    throw invalidField("idempotency_key", "Differs from the Idempotency-Key header");
  }
  const { success, error } = IdempotencyKey.safeParse(header);
  if (!success) throw invalidField("Idempotency-Key", error.issues[0]!.message);
  return header;
}

/** An earlier creation with the same key. */
export interface Earlier<Made> {
  response: Made;
  body_sha256: string | null;
}

/**
 * Answers a repeated call with the first answer. A response header says if the repeat asked for
 * something else, which was ignored.
 */
export function replay<Made extends object>(
  { headers }: ProjectContext,
  { response, body_sha256 }: Earlier<Made>,
  hash: string,
): Made & { _idempotent_replay: true } {
  if (body_sha256 !== null && body_sha256 !== hash) headers.set("Idempotent-Body-Differs", "true");
  return { ...response, _idempotent_replay: true };
}

/** Hashes the fields of a creation. The order of the fields doesn't matter. */
export function hashOf(input: object): string {
  const { id: _id, ticketId: _ticketId, idempotency_key: _key, ...asked } = input as Record<string, unknown>;
  return createHash("sha256").update(JSON.stringify(asked, withSortedKeys)).digest("hex");
}

function withSortedKeys(_: string, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1)) : value;
}

/**
 * Creates a part of a ticket once for its call's key. A repeat gets the first answer, even if the
 * part has changed since. Call it while you hold the ticket's lock, so that a simultaneous repeat
 * waits.
 */
export async function makeOnce<Made extends object>(
  ctx: ProjectContext,
  part: KeyedPart,
  input: Keyed,
  make: () => Promise<Made>,
): Promise<Made & { _idempotent_replay?: boolean }> {
  const { db } = ctx;
  const key = idempotencyKey(ctx, input);
  if (key === null) return await make();
  const hash = hashOf(input);
  const [earlier] = await db<Earlier<Made>[]>`
    select response, body_sha256 from part_creations
    where ticket_id = ${input.ticketId}::uuid and part = ${part} and idempotency_key = ${key}`;
  if (earlier) return replay(ctx, earlier, hash);
  const made = await make();
  await db`
    insert into part_creations (ticket_id, part, idempotency_key, response, body_sha256)
    values (${input.ticketId}::uuid, ${part}, ${key}, ${jsonb(db, made)}, ${hash})`;
  return made;
}
