import { randomBytes } from "node:crypto";
import { v7 as uuid } from "uuid";
import type { Sql } from "../../db/open.ts";
import type { Config } from "./config.ts";
import { hashPassword } from "./passwords.ts";

/**
 * Creates the first account and its super admin on an empty database. If two processes start at
 * once, only one of them creates both.
 * @returns the credentials, which are shown only once, or null if there are users already
 */
export async function createFirstAdmin(
  sql: Sql,
  config: Config,
): Promise<{ email: string; password: string } | null> {
  const [found] = await sql<{ taken: boolean }[]>`select exists (select from users) as taken`;
  if (found?.taken) return null;
  const password = config.ADMIN_PASSWORD ?? randomBytes(15).toString("base64url");
  const hash = await hashPassword(password);
  return await sql.begin(async (tx) => {
    await tx`lock table accounts in share row exclusive mode`;
    const created = await tx`
      with account as (
        insert into accounts (id, name, slug) select ${uuid()}::uuid, 'Default', 'default'
        where not exists (select from users) returning id
      )
      insert into users (id, account_id, email, name, role, password_hash)
      select ${uuid()}::uuid, id, ${config.ADMIN_EMAIL}, 'Administrator', 'super_admin', ${hash} from account`;
    return created.count === 1 ? { email: config.ADMIN_EMAIL, password } : null;
  });
}
