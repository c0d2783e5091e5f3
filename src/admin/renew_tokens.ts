import { NIL } from "uuid";
import type { Context } from "../core/context.ts";
import { UnreadableSecret } from "../core/encryption.ts";
import { log } from "../core/log.ts";
import { renewSealed, SEALED, type SealedKind } from "../core/sealed.ts";

const STEP = 100;

/**
 * Encrypts every stored secret under the newest key, so that an older key can be retired and nobody
 * has to enter a secret again.
 */
export async function renewTokens(ctx: Context): Promise<void> {
  for (const kind of Object.keys(SEALED) as SealedKind[]) {
    const { table, columns } = SEALED[kind];
    for (const column of columns) {
      const unreadable = await renewColumn(ctx, kind, column);
      if (unreadable === 0) continue;
      // The log would leave out a field with "token" or "secret" in its name.
      log.warn("stored secrets that no key can decrypt: their owners must enter them again", {
        column: `${table}.${column}`,
        rows: unreadable,
      });
    }
  }
}

/** Returns how many texts of the column no key can decrypt. */
async function renewColumn(ctx: Context, kind: SealedKind, column: string): Promise<number> {
  let unreadable = 0;
  let after: string = NIL;
  for (;;) {
    const stale = await findStale(ctx, kind, { column, after });
    for (const row of stale) {
      if (!await renew(ctx, kind, { column, ...row })) unreadable++;
    }
    if (stale.length < STEP) return unreadable;
    after = stale.at(-1)!.key;
  }
}

async function findStale(
  { db, secrets }: Context,
  kind: SealedKind,
  { column, after }: { column: string; after: string },
): Promise<{ key: string; sealed: string }[]> {
  const { table, key } = SEALED[kind];
  return await db`
    select ${db(key)} as key, ${db(column)} as sealed from ${db(table)}
    where split_part(${db(column)}, '.', 2) <> ${secrets.encryption[0].id} and ${db(key)} > ${after}::uuid
    order by ${db(key)} limit ${STEP}`;
}

/** Tells whether a key reads the text. */
async function renew(
  ctx: Context,
  kind: SealedKind,
  stored: { key: string; column: string; sealed: string },
): Promise<boolean> {
  try {
    await renewSealed(ctx, kind, stored);
    return true;
  } catch (error) {
    if (error instanceof UnreadableSecret) return false;
    throw error;
  }
}
