import { useEffect, useLayoutEffect, useRef, useSyncExternalStore } from "react";

/** A command that the palette offers by its name. */
export interface Command {
  id: string;
  name: string;
  /** The key that runs the same command. */
  keys?: string;
  run: () => void;
  /** It only tells something, and can't be chosen. */
  isHint?: boolean;
}

const offered = new Map<object, Command[]>();
const listeners = new Set<() => void>();
let all: Command[] = [];

function changed(): void {
  all = [...offered.values()].toReversed().flat();
  for (const listener of listeners) listener();
}

/** Offers commands in the palette for as long as the screen is shown. */
export function useCommands(commands: Command[]): void {
  const kept = useRef(commands);
  useLayoutEffect(() => {
    kept.current = commands;
  }, [commands]);
  const names = commands.map(({ id, name }) => id + name).join("\n");
  useEffect(() => {
    const owner = {};
    // A command is called by its index, because its action may change while its name stays.
    offered.set(
      owner,
      kept.current.map((command, at) => ({ ...command, run: () => kept.current[at]?.run() })),
    );
    changed();
    return () => {
      offered.delete(owner);
      changed();
    };
  }, [names]);
}

export function useOfferedCommands(): Command[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => all);
}

let asked = "";

/** Sets what is typed into the palette, for commands that are searched for. */
export function setAsked(typed: string): void {
  if (typed === asked) return;
  asked = typed;
  for (const listener of listeners) listener();
}

export function useAsked(): string {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => asked);
}
