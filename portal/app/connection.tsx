import type { Query } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { errorBody, isBusy, queryClient } from "../api/client.ts";
import { missingParts } from "../api/load.ts";
import { everythingChanged } from "../data/changes.ts";
import { app } from "../words/app.ts";

/** Whether the last call got no answer from the service. */
let isLost = !navigator.onLine;
/** The readings that the service was too busy to answer, and that are tried again. */
const busy = new Set<Query>();
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

/**
 * Notes that calls fail, or that they succeed again. The stream of events notices a failure earlier
 * than a call does.
 */
export function setLost(lost: boolean): void {
  if (lost === isLost) return;
  isLost = lost;
  changed();
  if (!lost) void everythingChanged();
}

queryClient.getQueryCache().subscribe((event) => {
  if (event.type !== "updated") return;
  const { query, action } = event;
  const { status, error, fetchStatus, fetchFailureReason } = query.state;
  if (fetchStatus === "idle" && status === "error" && errorBody(error) === null) setLost(true);
  if (action.type === "success" && !action.manual) setLost(false);
  const before = busy.size;
  if (fetchStatus === "fetching" && isBusy(fetchFailureReason)) busy.add(query);
  else busy.delete(query);
  if (busy.size !== before) changed();
});
addEventListener("offline", () => setLost(true));
addEventListener("online", () => setLost(false));

/** Shows that the service can't be reached, or is too busy to answer, and what becomes of it. */
export function Connection() {
  const lost = useSyncExternalStore(subscribe, () => isLost);
  const isWaiting = useSyncExternalStore(subscribe, () => busy.size > 0);
  const isMissing = useSyncExternalStore(missingParts.subscribe, missingParts.areThere);
  const text = isMissing ? app.offlineMissing : lost ? app.offline : isWaiting ? app.busy : "";
  return <p role="status" className={text ? "offline" : "hidden"}>{text}</p>;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
