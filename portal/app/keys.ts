import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";

const SWITCH = "handoff.keys";
/** Elements in which a single key is text, or belongs to an open menu or dialog. */
const TAKEN =
  "input, textarea, select, [contenteditable], [role=textbox], [role=menu], [role=listbox], [role=dialog]";
/** The most milliseconds between the two keys of a pair, such as G then B. */
const PAIR_MS = 1_000;

export const areSingleKeysOn = () => localStorage.getItem(SWITCH) !== "off";
export const setSingleKeys = (isOn: boolean) => localStorage.setItem(SWITCH, isOn ? "on" : "off");

export type Keys = Record<string, (event: KeyboardEvent) => void>;

let first: { key: string; at: number } | null = null;

/**
 * Keys of a screen, by `event.key`: `j`, `mod+k` with Ctrl or Command, `alt+ArrowUp`, `g b` one after the other. A
 * single key does nothing while text is typed or composed, or while a menu or dialog is open.
 */
export function useKeys(keys: Keys, isOn = true): void {
  const press = usePress(keys);
  useEffect(() => {
    if (!isOn) return;
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [isOn, press]);
}

/**
 * Keys of a part beside a screen. While the part has the focus, its keys come before the screen's,
 * and otherwise after them, because both may have a meaning for the same key.
 */
export function usePartKeys(partOf: () => Element | null | undefined, keys: Keys, isOn = true): void {
  const press = usePress(keys);
  const part = useEffectEvent(partOf);
  useEffect(() => {
    if (!isOn) return;
    const pressInside = (event: KeyboardEvent) => {
      if (part()?.contains(event.target as Node)) press(event);
    };
    document.addEventListener("keydown", pressInside, { capture: true });
    globalThis.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("keydown", pressInside, { capture: true });
      globalThis.removeEventListener("keydown", press);
    };
  }, [isOn, press]);
}

function usePress(keys: Keys): (event: KeyboardEvent) => void {
  const kept = useRef(keys);
  useLayoutEffect(() => {
    kept.current = keys;
  }, [keys]);
  return useCallback((event: KeyboardEvent) => {
    if (event.defaultPrevented || isComposing({ nativeEvent: event })) return;
    const name = nameOf(event);
    const act = kept.current[name];
    if (!act || !(name.startsWith("mod+") ? name === "mod+k" || isOutside(event) : isFree(event))) return;
    event.preventDefault();
    act(event);
  }, []);
}

/** Tells whether the key belongs to an input method, such as the Enter that chooses a word. */
export function isComposing({ nativeEvent }: { nativeEvent: KeyboardEvent }): boolean {
  // Safari sends the last key after the end of the composition, with the code for “in use”.
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}

function isFree(event: KeyboardEvent): boolean {
  return areSingleKeysOn() && isOutside(event);
}

/** Whether the key is neither typed into a text nor meant for an open menu or dialog. */
function isOutside(event: KeyboardEvent): boolean {
  return !(event.target as Element).closest?.(TAKEN);
}

function nameOf(event: KeyboardEvent): string {
  const { ctrlKey, metaKey, altKey } = event;
  const key = keyOf(event);
  // With Alt, other keys write characters that some layouts have there.
  if (altKey) return key.startsWith("Arrow") && !ctrlKey && !metaKey ? `alt+${key}` : "";
  if (ctrlKey || metaKey) return `mod+${key.toLowerCase()}`;
  return first && first.key !== key && Date.now() - first.at < PAIR_MS ? `${first.key} ${key}` : key;
}

/**
 * The key's Latin letter. With another script's layout it is the letter at the same place of a
 * keyboard, and Caps Lock changes nothing.
 */
export function keyOf({ key, code, shiftKey }: Pick<KeyboardEvent, "key" | "code" | "shiftKey">): string {
  if (/^[a-z]$/i.test(key)) return shiftKey && key !== key.toLowerCase() ? key : key.toLowerCase();
  const isLetter = /^\p{L}$/u.test(key) && !/^\p{Script=Latin}$/u.test(key);
  return isLetter ? /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key : key;
}

/** The text that is typed for a field that comes in a moment; null while none is awaited. */
let typedAhead: string | null = null;

/** Keeps what is typed from now on for a field that isn't there yet, so that no letter acts on the screen. */
export function awaitField(): void {
  typedAhead = "";
}

/** Returns what was typed for the field, which is there now. */
export function takeTyped(): string {
  const typed = typedAhead ?? "";
  typedAhead = null;
  return typed;
}

// Runs once for all screens, before their own listeners.
document.defaultView!.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (typedAhead === null || ctrlKey || metaKey || altKey || !isOutside(event)) return;
  if (key === "Escape") return void takeTyped();
  if (key.length === 1) typedAhead += key;
  else if (key === "Backspace") typedAhead = typedAhead.slice(0, -1);
  else return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, { capture: true });

// Runs once for all screens, after their own listeners. It remembers the first key of a pair.
document.defaultView!.addEventListener("keydown", (event) => {
  const begins = keyOf(event) === "g" && !event.ctrlKey && !event.metaKey && isFree(event);
  first = begins ? { key: "g", at: Date.now() } : null;
});
