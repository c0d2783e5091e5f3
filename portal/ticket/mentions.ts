/** A person whom a text mentions, and the position of the mention's @ in the text that is shown. */
export interface Mention {
  at: number;
  name: string;
  id: string;
}

export interface MentionText {
  /** The text as a person reads it, with `@name` for each mention. */
  shown: string;
  mentions: Mention[];
}

const MENTION = /@\[([^\]\n]{1,200})\]\(([0-9a-f-]{36})\)/g;

/** Splits a stored text, in which the id of a person follows the name. */
export function readMentions(stored: string): MentionText {
  const mentions: Mention[] = [];
  let [shown, read] = ["", 0];
  for (const { index, 0: whole, 1: name = "", 2: id = "" } of stored.matchAll(MENTION)) {
    shown += stored.slice(read, index);
    mentions.push({ at: shown.length, name, id });
    shown += `@${name}`;
    read = index + whole.length;
  }
  return { shown: shown + stored.slice(read), mentions };
}

/** Puts the ids into the text again. A mention whose name was changed mentions nobody. */
export function writeMentions({ shown, mentions }: MentionText): string {
  let [stored, read] = ["", 0];
  for (const { at, name, id } of mentions.toSorted((one, other) => one.at - other.at)) {
    const end = at + 1 + name.length;
    if (at < read || shown.slice(at, end) !== `@${name}` || /^[\p{L}\p{N}]/u.test(shown.slice(end))) continue;
    stored += `${shown.slice(read, at)}@[${name}](${id})`;
    read = end;
  }
  return stored + shown.slice(read);
}

/**
 * The mentions of a text after an edit that ended at the caret. Each mention keeps its person by its
 * position, because two people may have the same name.
 */
export function keepMentions(before: MentionText, shown: string, caret: number): Mention[] {
  const old = before.shown;
  let suffix = 0;
  const longest = Math.min(old.length, shown.length - caret);
  while (suffix < longest && old.at(-1 - suffix) === shown.at(-1 - suffix)) suffix++;
  let prefix = 0;
  while (prefix < Math.min(caret, old.length - suffix) && old[prefix] === shown[prefix]) prefix++;
  return before.mentions.flatMap((mention) => {
    const { at, name } = mention;
    if (at + 1 + name.length <= prefix) return mention;
    return at >= old.length - suffix ? { ...mention, at: at + shown.length - old.length } : [];
  });
}

/**
 * Adds mentions for names that were typed by hand, such as after an undo. Only people whom this text
 * has mentioned count, and only if no two of them have the name.
 */
export function findTyped(shown: string, kept: Mention[], known: readonly Mention[]): Mention[] {
  const ids = Map.groupBy(known, ({ name }) => name);
  const found = [...ids].flatMap(([name, people]) => {
    const [id, ...others] = new Set(people.map((person) => person.id));
    if (others.length > 0) return [];
    return Array.from(
      shown.matchAll(new RegExp(`@${RegExp.escape(name)}`, "g")),
      ({ index }) => ({ at: index, name, id: id! }),
    );
  }).toSorted((one, other) => other.name.length - one.name.length);
  const all = [...kept];
  for (const mention of found) if (!all.some(({ at }) => at === mention.at)) all.push(mention);
  return all;
}

/** The beginning of a name before the caret, after an @ that begins a word. */
export function begunMention(shown: string, caret: number): { at: number; begun: string } | null {
  const found = /(?:^|[\s(])@([^\s@]{0,40}(?: [^\s@]{0,40})?)$/.exec(shown.slice(0, caret));
  return found && { at: caret - found[1]!.length - 1, begun: found[1]! };
}
