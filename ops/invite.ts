import { v7 as uuid } from "uuid";
import { requireEmbedded } from "../db/files.ts";
import { FolderInUse } from "../db/pglite.ts";
import { type Config, readConfig } from "../src/core/config.ts";
import { systemContext } from "../src/core/context.ts";
import { startServices } from "../src/core/services.ts";
import { inviteByEmail } from "../src/users/invite.ts";
import { runCommand } from "./_cli.ts";

await runCommand("invite", ["EMAIL"], async ([email]) => {
  const config = readConfig();
  if (!config.DATABASE_URL) await requireEmbedded(config.DATA_DIR);
  const { services, close } = await startServices({ ...config, EMBEDDING_THREADS: 0, JOBS: "off" })
    .catch((error: unknown) => {
      throw error instanceof FolderInUse ? new Error(beside(config)) : error;
    });
  try {
    const ctx = systemContext(services, { kind: "job", id: "invite-command" }, uuid());
    const { invite_url, expires_at } = await inviteByEmail(ctx, email);
    console.log(`Until ${expires_at}, ${email} sets a new password at\n${invite_url}`);
  } finally {
    await close();
  }
});

function beside({ PUBLIC_URL, DATA_DIR }: Config): string {
  return `the service is running and has the database in ${DATA_DIR} open. Let an admin make the link there, by ` +
    `POST ${PUBLIC_URL}/api/users/{id}/invitation, or stop the service, run this again and start it`;
}
