import { useSyncExternalStore } from "react";
import { errorBody, queryClient } from "../api/client.ts";
import { app } from "../words/app.ts";

/** Whether the last answer was one of the service, or none came at all. */
let isLost = false;
const listeners = new Set<() => void>();

/** Says that calls fail, or succeed again; the stream of events knows it before a call does. */
export function setLost(lost: boolean): void {
  if (lost === isLost) return;
  isLost = lost;
  for (const listener of listeners) listener();
  if (!lost) void queryClient.invalidateQueries();
}

queryClient.getQueryCache().subscribe(({ type, query }) => {
  const { status, error, fetchStatus } = query.state;
  if (type === "updated" && fetchStatus === "idle" && status === "error" && errorBody(error) === null) {
    setLost(true);
  }
});
addEventListener("offline", () => setLost(true));
addEventListener("online", () => setLost(false));

/** Tells that the service can't be reached. */
export function Connection() {
  const lost = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => isLost);
  return <p role="status" className={lost ? "offline" : "hidden"}>{lost ? app.offline : ""}</p>;
}
