import { ForeignSchema } from "./errors.ts";
import type { Db } from "./types.ts";

/** The note of a move in its two databases, so that neither is started by mistake. */
export interface Mark {
  /** Both databases of one move have the same id. */
  id: string;
  /**
   * `left` means that the installation has been moved away from this database. `unfinished` means
   * that rows may still be missing in this database.
   */
  role: "left" | "unfinished";
  /** The other database, without its password. */
  other: string;
}

/** The table exists only while there is a mark. */
export const MARK_TABLE = "moved_installation";

export async function readMark(db: Db): Promise<Mark | undefined> {
  const [table] = await db<{ found: boolean }[]>`select to_regclass(${MARK_TABLE}) is not null as found`;
  if (!table?.found) return undefined;
  const [mark] = await db<Mark[]>`select id, role, other from ${db(MARK_TABLE)}`;
  return mark;
}

export async function writeMark(db: Db, { id, role, other }: Mark): Promise<void> {
  await db`
    create table if not exists ${db(MARK_TABLE)} (id uuid not null, role text not null, other text not null)`;
  await db`delete from ${db(MARK_TABLE)}`;
  await db`insert into ${db(MARK_TABLE)} (id, role, other) values (${id}, ${role}, ${other})`;
}

export async function removeMark(db: Db): Promise<void> {
  await db`drop table if exists ${db(MARK_TABLE)}`;
}

/** @throws {ForeignSchema} if a move took the installation away, or did not finish */
export async function refuseMoved(db: Db): Promise<void> {
  const mark = await readMark(db);
  if (!mark) return;
  throw new ForeignSchema(
    mark.role === "left"
      ? `The installation was moved to ${mark.other}: start the service on that. ` +
        "To use this database again, and not that one, run npm run move -- --undo"
      : `A move from ${mark.other} to this database is not complete: repeat the move`,
  );
}
