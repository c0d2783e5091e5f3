import { handoff } from "../api/client.ts";
import { app } from "../words/app.ts";
import { forgetDrafts } from "./drafts.ts";
import { sayRefused } from "./toasts.tsx";

/**
 * Ends the session, deletes the person's drafts and all data that was read, and reloads the page. If
 * the session could not be ended, it says so, because the person may believe to be signed out.
 */
export async function signOut(): Promise<void> {
  try {
    await handoff.signOut();
  } catch {
    return sayRefused(app.notSignedOut);
  }
  forgetDrafts();
  location.assign("/sign-in");
}
