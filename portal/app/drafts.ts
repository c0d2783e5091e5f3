import { useCallback, useState } from "react";
import { queryClient } from "../api/client.ts";
import { meQuery } from "../data/me.ts";

/**
 * Keeps typed text in this browser until it is sent, so that a closed tab, a lost connection or a
 * failed call costs nothing. A draft belongs to the person who typed it, because several people may
 * use one browser. Null means that there is no draft.
 */
export function useDraft<Draft>(name: string): [Draft | null, (draft: Draft | null) => void] {
  const [draft, setDraft] = useState<Draft | null>(() => readDraft(name));
  const write = useCallback((next: Draft | null) => {
    setDraft(next);
    if (next === null) localStorage.removeItem(placeOf(name));
    else localStorage.setItem(placeOf(name), JSON.stringify(next));
  }, [name]);
  return [draft, write];
}

export function readDraft<Draft>(name: string): Draft | null {
  try {
    return JSON.parse(localStorage.getItem(placeOf(name)) ?? "null") as Draft | null;
  } catch {
    return null;
  }
}

/** Deletes the drafts of the person who is signed in. */
export function forgetDrafts(): void {
  for (const place of Object.keys(localStorage)) {
    if (place.startsWith(placeOf(""))) localStorage.removeItem(place);
  }
}

function placeOf(name: string): string {
  return `handoff.draft.${queryClient.getQueryData(meQuery.queryKey)?.user.id}.${name}`;
}
