/** Sentences of a history about links, blockers, children and the order, without their subject. */

const LINKS: Record<string, [made: string, ended: string]> = {
  blocks: ["said that it blocks", "said that it no longer blocks"],
  blocked_by: ["said that it waits for", "said that it no longer waits for"],
  relates: ["related it to", "no longer relates it to"],
};

/** A ticket of another project has no ref here, because a reader of the history may not see it. */
export function sentenceOfLink(entity: string, action: string, whole: unknown): string {
  const { kind = "", ref = "a ticket of another project" } = (whole ?? {}) as Record<string, string>;
  const place = action === "created" ? 0 : 1;
  const verb = entity === "duplicate"
    ? ["called it a duplicate of", "no longer calls it a duplicate of"][place]
    : LINKS[kind]?.[place] ?? ["linked it to", "unlinked it from"][place];
  return `${verb} ${ref}`;
}

const ACTS: Record<string, (details: Record<string, unknown>) => string> = {
  placed: ({ before, after }) => before ? `put it before ${before}` : `put it after ${after}`,
  unblocked: () => "ended its last blocker",
  moved_while_blocked: ({ blockers }) => `started it while it waits for ${refsOf(blockers)}`,
  open_children_skipped: ({ children }) => `closed it before its children ${refsOf(children)}`,
};

/** Null for an act that has nothing to do with links. */
export function sentenceOfLinkedAct(action: string, whole: unknown): string | null {
  return ACTS[action]?.((whole ?? {}) as Record<string, unknown>) ?? null;
}

function refsOf(tickets: unknown): string {
  const refs = (Array.isArray(tickets) ? tickets : []).map(({ ticket_ref }) => String(ticket_ref));
  if (refs.length === 0) return "a ticket of another project";
  const [named, more] = [refs.slice(0, 10), refs.length - 10];
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
