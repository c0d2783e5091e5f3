import { handoff } from "../api/client.ts";

/** Ends the session and forgets all that was read; the page begins again. */
export async function signOut(): Promise<void> {
  await handoff.signOut().catch(() => {});
  location.assign("/sign-in");
}
