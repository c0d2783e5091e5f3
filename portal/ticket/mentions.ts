/** People by name, as a text mentions them. */
export type Mentioned = ReadonlyMap<string, string>;

const MENTION = /@\[([^\]\n]{1,200})\]\(([0-9a-f-]{36})\)/g;

/**
 * Splits a stored text. The person reads `@name` without the id that follows it in the stored text.
 */
export function readMentions(stored: string): { shown: string; mentioned: Mentioned } {
  const mentioned = new Map<string, string>();
  const shown = stored.replace(MENTION, (_, name: string, id: string) => {
    mentioned.set(name, id);
    return `@${name}`;
  });
  return { shown, mentioned };
}

/** Adds the ids again that belong to names in the text. A changed name mentions nobody. */
export function writeMentions(shown: string, mentioned: Mentioned): string {
  if (mentioned.size === 0) return shown;
  const longestFirst = [...mentioned.keys()].toSorted((one, other) => other.length - one.length);
  const names = new RegExp(`@(${longestFirst.map(escaped).join("|")})(?![\\p{L}\\p{N}])`, "gu");
  return shown.replace(names, (_, name: string) => `@[${name}](${mentioned.get(name)})`);
}

function escaped(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}

/** The beginning of a name before the caret, after an @ that begins a word. */
export function begunMention(shown: string, caret: number): { at: number; begun: string } | null {
  const found = /(?:^|[\s(])@([^\s@]{0,40}(?: [^\s@]{0,40})?)$/.exec(shown.slice(0, caret));
  return found && { at: caret - found[1]!.length - 1, begun: found[1]! };
}
