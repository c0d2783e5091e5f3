import { useSyncExternalStore } from "react";
import { errorBody, queryClient } from "../api/client.ts";
import { everythingChanged } from "../data/changes.ts";
import { app } from "../words/app.ts";

/** Whether the last call got an answer from the service. */
let isLost = false;
const listeners = new Set<() => void>();

/**
 * Notes that calls fail, or that they succeed again. The stream of events notices a failure earlier
 * than a call does.
 */
export function setLost(lost: boolean): void {
  if (lost === isLost) return;
  isLost = lost;
  for (const listener of listeners) listener();
  if (!lost) void everythingChanged();
}

queryClient.getQueryCache().subscribe(({ type, query }) => {
  const { status, error, fetchStatus } = query.state;
  if (type === "updated" && fetchStatus === "idle" && status === "error" && errorBody(error) === null) {
    setLost(true);
  }
});
addEventListener("offline", () => setLost(true));
addEventListener("online", () => setLost(false));

/** Shows that the service can't be reached. */
export function Connection() {
  const lost = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => isLost);
  return <p role="status" className={lost ? "offline" : "hidden"}>{lost ? app.offline : ""}</p>;
}
