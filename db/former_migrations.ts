import { createHash } from "node:crypto";
import type { Applied, Migration } from "./migration.ts";
import type { TransactionSql } from "./types.ts";

/*
 * Databases from before the baseline have 32 migrations in place of 0001 to 0009. Their tables
 * differ only in the names below, so such databases can be converted. This file can go with the
 * first release.
 */

/** SHA-256 of the list of these 32 migrations, in the format of SHA256SUMS. */
const FORMER = "f4a3f80ce0b9dec3c1b621c684edc1e9126bb4013e1ac3840b9b7a08f1b3f184";
const LAST_OF_BASELINE = 9;

/** Returns the applied migrations, with the baseline in place of the 32 earlier migrations. */
export function withBaseline(applied: Applied[], migrations: Migration[]): Applied[] {
  if (applied[0]?.checksum === migrations[0]?.checksum) return applied;
  const list = applied.map(({ name, checksum }) => `${checksum}  ${name}.sql\n`).join("");
  return createHash("sha256").update(list).digest("hex") === FORMER ? baselineOf(migrations) : applied;
}

/**
 * Gives the database the baseline's names and its list of migrations. A database that already has
 * both is left as it is.
 */
export async function adoptBaseline(
  tx: TransactionSql,
  applied: Applied[],
  migrations: Migration[],
): Promise<void> {
  if (withBaseline(applied, migrations) === applied) return;
  const baseline = baselineOf(migrations);
  const text = baseline.map(({ text }) => text).join("\n");
  const [procedure] = /^create procedure track_history[^]*?\nend \$\$;$/m.exec(text)!;
  const tracked = text.match(/^call track_history\([^;]*;/gm)!;
  await tx.unsafe(`
    alter table deliveries rename to inbound_deliveries;
    do $$
    declare name text;
    begin
      for name in select indexname from pg_indexes where schemaname = current_schema and indexname like 'deliveries\\_%' loop
        execute format('alter index %I rename to %I', name, 'inbound_' || name);
      end loop;
      for name in select conname from pg_constraint where conrelid = 'inbound_deliveries'::regclass and conname like 'deliveries\\_%' loop
        execute format('alter table inbound_deliveries rename constraint %I to %I', name, 'inbound_' || name);
      end loop;
    end $$;
    ${procedure.replace("create procedure", "create or replace procedure")}
    ${tracked.join("\n")}
    delete from schema_migrations`);
  await tx`insert into schema_migrations ${
    tx(baseline.map(({ version, name, checksum }) => ({ version, name, checksum })))
  }`;
}

function baselineOf(migrations: Migration[]): Migration[] {
  return migrations.filter(({ version }) => version <= LAST_OF_BASELINE);
}
