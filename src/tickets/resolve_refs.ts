import type { ProjectContext } from "../core/context.ts";
import { noSuchTicket } from "./lock.ts";
import { isTicketRef, keyOf, MAX_NAMED, numberOf } from "./schema.ts";

/** The fields that name one ticket, and the field that names several. Each takes ids and refs. */
const ONE = ["ticketId", "ticket_id"] as const;
const SEVERAL = "ticket_ids";

/**
 * Replaces refs such as HO-12 in an input by the ids of the project's tickets. A ref's case doesn't
 * matter, and its key may be a former key of the project. In a list, a ref that names no ticket
 * stays as it is.
 * @throws {AppError} not_found for one ticket that is not there
 */
export async function resolveRefs(
  ctx: ProjectContext,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const one = ONE.filter((field) => isTicketRef(input[field]));
  const named = input[SEVERAL];
  const several: unknown[] = Array.isArray(named) && named.length <= MAX_NAMED ? named : [];
  const refs = [...one.map((field) => input[field]), ...several].filter(isTicketRef);
  if (refs.length === 0) return input;
  const ids = await readIds(ctx, refs);
  const replaced = { ...input };
  for (const field of one) {
    const id = ids.get(input[field] as string);
    if (!id) throw noSuchTicket();
    replaced[field] = id;
  }
  if (several.length > 0) replaced[SEVERAL] = several.map((name) => ids.get(name as string) ?? name);
  return replaced;
}

/** Maps the refs, as they were sent, to ids. */
async function readIds({ db, project }: ProjectContext, refs: string[]): Promise<Map<string, string>> {
  const tickets = await db<{ ref: string; id: string }[]>`
    select r.ref, t.id
    from unnest(${refs}::text[], ${refs.map(keyOf)}::text[], ${
    refs.map(numberOf)
  }::int[]) as r (ref, key, number)
    join project_keys k on k.project_id = ${project.id}::uuid and k.key = r.key
    join tickets t on t.project_id = ${project.id}::uuid and t.number = r.number`;
  return new Map(tickets.map(({ ref, id }) => [ref, id]));
}
