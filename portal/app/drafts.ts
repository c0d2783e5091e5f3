import { useCallback, useState } from "react";

/**
 * Keeps typed text in this browser until it is sent, so that a closed tab, a lost connection or a
 * failed call costs nothing. Null means that there is no draft.
 */
export function useDraft<Draft>(name: string): [Draft | null, (draft: Draft | null) => void] {
  const place = `handoff.draft.${name}`;
  const [draft, setDraft] = useState<Draft | null>(() => readDraft(place));
  const write = useCallback((next: Draft | null) => {
    setDraft(next);
    if (next === null) localStorage.removeItem(place);
    else localStorage.setItem(place, JSON.stringify(next));
  }, [place]);
  return [draft, write];
}

function readDraft<Draft>(place: string): Draft | null {
  try {
    return JSON.parse(localStorage.getItem(place) ?? "null") as Draft | null;
  } catch {
    return null;
  }
}
