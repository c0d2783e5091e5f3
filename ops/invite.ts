import { v7 as uuid } from "uuid";
import { readConfig } from "../src/core/config.ts";
import { systemContext } from "../src/core/context.ts";
import { startServices } from "../src/core/services.ts";
import { inviteByEmail } from "../src/users/invite.ts";
import { runCommand } from "./_cli.ts";

await runCommand("invite", ["EMAIL"], async ([email]) => {
  const { services, close } = await startServices({ ...readConfig(), EMBEDDING_THREADS: 0, JOBS: "off" });
  try {
    const ctx = systemContext(services, { kind: "job", id: "invite-command" }, uuid());
    const { invite_url, expires_at } = await inviteByEmail(ctx, email);
    console.log(`Until ${expires_at}, ${email} sets a new password at\n${invite_url}`);
  } finally {
    await close();
  }
});
