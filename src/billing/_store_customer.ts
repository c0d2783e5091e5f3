import type { Db } from "../../db/open.ts";

/**
 * Links a customer to the account that it pays for, as the provider's `source` reports; false if it
 * is older.
 */
export async function storeCustomer(
  db: Db,
  accountId: string,
  customerId: string,
  source: { created: number; id: string },
): Promise<boolean> {
  const stored = await db`
    insert into billing_customers as c (account_id, customer_id, event_created, event_id)
    values (${accountId}::uuid, ${customerId}, ${source.created}, ${source.id})
    on conflict (account_id, customer_id) do update set event_created = excluded.event_created,
      event_id = excluded.event_id, updated_at = now()
    where (excluded.event_created, excluded.event_id) >= (c.event_created, c.event_id)`;
  return stored.count === 1;
}
