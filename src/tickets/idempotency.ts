import type { ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { jsonb } from "../core/json.ts";
import { IdempotencyKey } from "./schema.ts";

/** What a creation takes to be repeated safely. */
interface Keyed {
  ticketId: string;
  idempotency_key?: string | undefined;
}

/**
 * The key of a call that may be repeated: a field of its body, or the header that is its alias.
 * @throws {AppError} invalid_request when they differ, or the header is too long
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

/**
 * Makes a part of a ticket once under its call's key; a repeat gets the first answer, whatever became of the part. Call
 * it behind the ticket's lock, which a repeat at the same moment waits for.
 */
export async function makeOnce<Made extends object>(
  ctx: ProjectContext,
  part: "task" | "test_case" | "comment" | "question",
  input: Keyed,
  make: () => Promise<Made>,
): Promise<Made & { _idempotent_replay?: boolean }> {
  const { db } = ctx;
  const key = idempotencyKey(ctx, input);
  if (key === null) return await make();
  const [earlier] = await db<{ response: Made }[]>`
    select response from part_creations
    where ticket_id = ${input.ticketId}::uuid and part = ${part} and idempotency_key = ${key}`;
  if (earlier) return { ...earlier.response, _idempotent_replay: true };
  const made = await make();
  await db`
    insert into part_creations (ticket_id, part, idempotency_key, response)
    values (${input.ticketId}::uuid, ${part}, ${key}, ${jsonb(db, made)})`;
  return made;
}
