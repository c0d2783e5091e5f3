import { z } from "zod";
import { type Imported, linesOf } from "./import.ts";

const Pair = z.tuple([z.string(), z.string()]);

interface DuplicateShare {
  /** The number of pairs whose two tickets are both in the import. */
  pairs: number;
  /**
   * The number of these pairs in which one ticket was shown as similar when the other was created.
   */
  shown: number;
  unknown: number;
}

/**
 * Counts the known duplicates that the hint showed at creation.
 * @param text JSON lines, each a pair of idempotency keys
 */
export function measureDuplicates(text: string, tickets: Imported[]): DuplicateShare {
  const byKey = new Map(tickets.map((ticket) => [ticket.key, ticket]));
  const share: DuplicateShare = { pairs: 0, shown: 0, unknown: 0 };
  for (const line of linesOf(text)) {
    const [one, other] = Pair.parse(JSON.parse(line.text)).map((key) => byKey.get(key));
    if (!one || !other) share.unknown++;
    else {
      share.pairs++;
      if (shows(one, other) || shows(other, one)) share.shown++;
    }
  }
  return share;
}

function shows(ticket: Imported, other: Imported): boolean {
  return ticket.similar?.some(({ ticket_ref }) => ticket_ref === other.ref) ?? false;
}

interface ClosestPair {
  ticket: Imported;
  ref: string;
  title: string;
  similarity: number;
}

/** Returns the most similar pairs that the hint showed, best first. */
export function closestPairs(tickets: Imported[], count: number): ClosestPair[] {
  return tickets.flatMap((ticket) =>
    (ticket.similar ?? []).slice(0, 1).map(({ ticket_ref, title, similarity }) => ({
      ticket,
      ref: ticket_ref,
      title,
      similarity,
    }))
  ).sort((a, b) => b.similarity - a.similarity).slice(0, count);
}
