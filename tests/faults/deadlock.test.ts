import { describe, expect, test } from "vitest";
import { isTimeout } from "../../db/errors.ts";
import { systemContext } from "../../src/core/context.ts";
import { toAppError } from "../../src/core/failures.ts";
import { transact } from "../../src/core/transact.ts";
import { serverUrl } from "../database.ts";
import { makeAccount } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

function context() {
  return systemContext(harness.now.services, { kind: "job", id: "test" }, crypto.randomUUID());
}

/** PostgreSQL aborts a statement with one of these conditions. */
const VICTIMS = ["deadlock_detected", "serialization_failure"];

describe.each(VICTIMS)("a transaction that fails by %s", (condition) => {
  const dies = `do $$ begin raise exception 'the victim' using errcode = '${condition}'; end $$`;

  test("is run once more from its beginning, and its first run leaves nothing", async () => {
    const account = await makeAccount(harness.now);
    let runs = 0;
    const answer = await transact(context(), async ({ db }) => {
      runs++;
      await db`update accounts set name = name || ${`${runs}`} where id = ${account}::uuid`;
      if (runs === 1) await db.unsafe(dies);
      return "done";
    });
    expect([answer, runs]).toEqual(["done", 2]);
    expect(await harness.now.sql`select name from accounts where id = ${account}::uuid`).toEqual([
      { name: "Acme2" },
    ]);
  });

  test("both times is told as such, changes nothing, and leaves the connection well", async () => {
    const account = await makeAccount(harness.now);
    let runs = 0;
    const failure: unknown = await transact(context(), async ({ db }) => {
      runs++;
      await db`update accounts set name = 'other' where id = ${account}::uuid`;
      await db.unsafe(dies);
    }).catch((error: unknown) => error);
    expect(runs).toBe(2);
    expect(toAppError(failure)).toMatchObject({
      code: "unavailable",
      message: "Other calls hold locks that this call needs; try again",
    });
    expect(await harness.now.sql`select name from accounts where id = ${account}::uuid`).toEqual([
      { name: "Acme" },
    ]);
  });
});

test("a transaction that fails by anything else is not run again", async () => {
  let runs = 0;
  const failing = transact(context(), async ({ db }) => {
    runs++;
    await db.unsafe("do $$ begin raise exception 'full' using errcode = 'disk_full'; end $$");
  });
  await expect(failing).rejects.toThrow("full");
  expect(runs).toBe(1);
});

// On the embedded database's one connection no transaction ever waits for another.
if (serverUrl) describe("two transactions", twoTransactions);

function twoTransactions(): void {
  test("that wait for each other both succeed: the victim is run once more", async () => {
    const rows = [await makeAccount(harness.now), await makeAccount(harness.now)];
    const bothHold = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const runs = [0, 0];
    await Promise.all([0, 1].map(async (mine) => {
      await transact(context(), async ({ db }) => {
        const other = 1 - mine;
        // On a very slow machine the pause may be too short for the other transaction.
        if (++runs[mine]! > 1) await ends[other]!.promise;
        await db`update accounts set name = name || ${`${mine}`} where id = ${rows[mine]!}::uuid`;
        bothHold[mine]!.resolve();
        await bothHold[other]!.promise;
        await db`update accounts set name = name || ${`${mine}`} where id = ${rows[other]!}::uuid`;
      });
      ends[mine]!.resolve();
    }));
    expect(runs.toSorted()).toEqual([1, 2]);
    const names = await harness.now.sql<{ name: string }[]>`
      select name from accounts where id = any (${rows}::uuid[])`;
    expect(names.map(({ name }) => [...name.slice("Acme".length)].toSorted().join(""))).toEqual(["01", "01"]);
  });

  test("of which one never ends: the other gives up on the lock, with a sentence of its own", async () => {
    const account = await makeAccount(harness.now);
    const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holder = transact(context(), async ({ db }) => {
      await db`select from accounts where id = ${account}::uuid for update`;
      held.resolve();
      await over.promise;
    });
    await held.promise;
    const failure: unknown = await transact(context(), async ({ db }) => {
      await db`select set_config('lock_timeout', '50', true)`;
      await db`update accounts set name = 'other' where id = ${account}::uuid`;
    }).catch((error: unknown) => error);
    over.resolve();
    await holder;
    expect(isTimeout(failure)).toBe(true);
    expect(toAppError(failure)).toMatchObject({
      code: "unavailable",
      message: "Other calls hold locks that this call needs; try again",
    });
  });
}
