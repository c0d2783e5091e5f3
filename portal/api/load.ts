import { type ComponentType, lazy } from "react";

/** A file of the portal is gone, because the service has another version by now. */
export class Outdated extends Error {
  override name = "Outdated";
}

/** Milliseconds between two looks for a service that can't be reached. */
const AGAIN_MS = 2_000;

/** The number of parts that wait for a service that can't be reached, and who is told of it. */
let missing = 0;
const listeners = new Set<() => void>();

function addMissing(by: number): void {
  missing += by;
  for (const listener of listeners) listener();
}

/** For useSyncExternalStore: whether something that a person has opened can't be shown yet. */
export const missingParts = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  areThere: () => missing > 0,
};

/**
 * Loads a part of the portal, and waits for a service that can't be reached.
 * @throws {Outdated} if the service answers and doesn't have the part
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  let isMissing = false;
  try {
    for (;;) {
      try {
        return await load();
      } catch (cause) {
        if (await isThere()) throw new Outdated("A part of the portal is gone", { cause });
        if (!isMissing) addMissing(1);
        isMissing = true;
        await new Promise((again) => setTimeout(again, AGAIN_MS));
      }
    }
  } finally {
    if (isMissing) addMissing(-1);
  }
}

/** A component whose code is loaded when it is first shown. */
// The component's own type says which properties it takes.
// deno-lint-ignore no-explicit-any
export function part<Component extends ComponentType<any>>(load: () => Promise<Component>) {
  return lazy(async () => ({ default: await loadPart(load) }));
}

/** Whether the service answers. */
export async function isThere(): Promise<boolean> {
  return await fetch("/", { method: "HEAD", cache: "no-store" }).then(({ ok }) => ok, () => false);
}

const RELOADED = "handoff.reloaded";

/**
 * Loads the page of the newer version. A version that lacks a part of its own is loaded again only
 * once, because it would go on for ever.
 */
export function reloadOnce(): void {
  const version = document.querySelector<HTMLScriptElement>("script[type=module]")?.src ?? "";
  if (sessionStorage.getItem(RELOADED) === version) return;
  sessionStorage.setItem(RELOADED, version);
  location.reload();
}
