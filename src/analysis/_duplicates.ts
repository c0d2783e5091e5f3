import type { Context } from "../core/context.ts";
import { fingerprintOfPair } from "../suggestions/fingerprint.ts";
import { Stage } from "../tickets/schema.ts";
import type { Subject, TicketFacts } from "./_batch.ts";
import { type Finding, listed, rounded } from "./_finding.ts";
import { type Likeness, likenessOf } from "./_likeness.ts";
import type { WordedTicket, Words } from "./_words.ts";

/**
 * The number of nearest open tickets, by embedding, whose words are compared. With 20 tickets, no
 * more of the labelled pairs are found.
 */
const NEIGHBOURS = 10;
/**
 * The most suggestions for one ticket, so that a family of similar tickets doesn't drown the rest.
 * Sure pairs are suggested anyway, because a copy is a copy in any family.
 */
const BEST = 3;
const SURE = 0.75;
/** likenessOf tells what this threshold costs and brings. */
const THRESHOLD = 0.5;

interface Pair {
  a: string;
  b: string;
  cosine: number;
  held: boolean;
}

type ScoredPair = Pair & { likeness: Likeness };

/**
 * Finds pairs of open tickets that look like one: the best pairs of each ticket, and pairs that
 * were suggested before and still look alike.
 */
export async function findDuplicates(
  ctx: Context,
  subject: Subject,
  tickets: readonly TicketFacts[],
  learn: () => Promise<Words>,
): Promise<Finding[]> {
  const pairs = await withoutParts(ctx, await readCandidates(ctx, subject, tickets.map(({ id }) => id)));
  if (pairs.length === 0) return [];
  const words = await learn();
  const texts = await words.read(pairs.flatMap(({ a, b }) => [a, b]));
  const findings = bestOfEach(scorePairs(pairs, texts, words)).map((pair) =>
    describePair(texts.get(pair.a)!, texts.get(pair.b)!, pair)
  );
  // A pair may be found twice, once from each ticket.
  return [...new Map(findings.map((finding) => [finding.fingerprint, finding])).values()];
}

/** Keeps the pairs whose texts are alike enough. */
function scorePairs(pairs: Pair[], texts: Map<string, WordedTicket>, words: Words): ScoredPair[] {
  return pairs.flatMap((pair) => {
    const [a, b] = [texts.get(pair.a), texts.get(pair.b)];
    if (!a || !b) return [];
    const likeness = likenessOf(a.terms, b.terms, pair.cosine, words);
    if (likeness.score < THRESHOLD) return [];
    const score = areOfSeries(a, b) ? THRESHOLD : likeness.score;
    return [{ ...pair, likeness: { ...likeness, score } }];
  });
}

/**
 * Keeps the best pairs of each ticket, the sure pairs, and the pairs that were suggested before.
 */
function bestOfEach(scored: ScoredPair[]): ScoredPair[] {
  return [...Map.groupBy(scored, ({ a }) => a).values()].flatMap((ofTicket) =>
    ofTicket.toSorted((x, y) => y.likeness.score - x.likeness.score)
      .filter(({ likeness, held }, rank) => rank < BEST || likeness.score >= SURE || held)
  );
}

/**
 * Tells whether two titles belong to a series, such as “Release 3.3.1” and “Release 3.4.0”, or
 * “Build 1b64538 failed” and “Build 356a192 failed”. Titles that differ only in numbers or in words
 * with digits mostly name two things. Of the reports on which likenessOf was measured, 71 pairs
 * would be suggested because of this, 16 of them among the surest 100, and none is labelled.
 */
function areOfSeries(a: WordedTicket, b: WordedTicket): boolean {
  const numberless = ({ title }: WordedTicket) =>
    title.toLowerCase().replace(/[a-z_]*\p{N}[a-z\p{N}_.]*/gu, "#");
  return a.title.toLowerCase() !== b.title.toLowerCase() && numberless(a) === numberless(b);
}

/**
 * Reads each ticket with its nearest tickets and with the tickets of which it is already held to be
 * a duplicate.
 */
async function readCandidates(ctx: Context, subject: Subject, ids: string[]): Promise<Pair[]> {
  return await ctx.db<Pair[]>`
    with asked as materialized (
      select e.ticket_id, e.embedding from ticket_embeddings e
      where e.ticket_id = any (${ids}::uuid[]) and e.open
    ), held as (
      select a.ticket_id as a, s.other_ticket_id as b, a.embedding from asked a
      join suggestions s on s.ticket_id = a.ticket_id and s.kind = 'duplicate' and s.status = 'pending'
      union
      select a.ticket_id, s.ticket_id, a.embedding from asked a
      join suggestions s on s.other_ticket_id = a.ticket_id and s.status = 'pending'
    ), near as (
      select a.ticket_id as a, n.ticket_id as b, n.similarity as cosine from asked a
      cross join lateral similar_tickets(${subject.id}::uuid, a.embedding, -1, ${NEIGHBOURS + 1}) n
      where n.ticket_id <> a.ticket_id
    )
    select h.a, h.b, 1 - (h.embedding <=> e.embedding) as cosine, true as held
    from held h join ticket_embeddings e on e.ticket_id = h.b and e.open
    union all
    select n.a, n.b, n.cosine, false from near n where not exists (select from held h where h.a = n.a and h.b = n.b)`;
}

/**
 * Drops pairs of a ticket and its part: a part that was split off names the ticket that it comes
 * from, and is no duplicate of it.
 */
async function withoutParts(ctx: Context, pairs: Pair[]): Promise<Pair[]> {
  const ids = pairs.flatMap(({ a, b }) => [a, b]);
  const splits = await ctx.db<{ ticket_id: string; part_ids: string[] }[]>`
    select s.ticket_id, s.before_accept -> 'part_ids' as part_ids from suggestions s
    where s.ticket_id = any (${ids}::uuid[]) and s.kind = 'split' and s.status = 'accepted'`;
  const isPart = (part: string, of: string) =>
    splits.some(({ ticket_id, part_ids }) => ticket_id === of && part_ids.includes(part));
  return pairs.filter(({ a, b }) => !isPart(a, b) && !isPart(b, a));
}

/** Suggests to close the ticket in which less was done; if both are alike, the later one. */
function describePair(a: WordedTicket, b: WordedTicket, { cosine, likeness }: ScoredPair): Finding {
  const done = (ticket: WordedTicket) => Stage.options.indexOf(ticket.stage);
  const aGoes = done(a) !== done(b) ? done(a) < done(b) : a.number > b.number;
  const [goes, stays] = aGoes ? [a, b] : [b, a];
  // An identifier in a title is also one of its words.
  const shared = new Set([...likeness.shared_identifiers.slice(0, 2), ...likeness.shared_words.slice(0, 3)]);
  const both = shared.size > 0 ? `both mention ${listed([...shared])}, and ` : "";
  const { score, ...evidence } = likeness;
  return {
    kind: "duplicate",
    ticket_id: goes.id,
    other_ticket_id: stays.id,
    title: `${goes.ticket_ref} looks like a duplicate of ${stays.ticket_ref}`,
    rationale: `“${goes.title}” and “${stays.title}”: ${both}their texts are ${
      Math.round(cosine * 100)
    } % alike in meaning.`,
    confidence: rounded(score),
    evidence: {
      duplicate_of: { ticket_id: stays.id, ticket_ref: stays.ticket_ref, title: stays.title },
      similarity: rounded(cosine),
      ...evidence,
    },
    fingerprint: fingerprintOfPair(...[a, b].map(({ id, terms: { digest } }) => ({ id, digest }))),
  };
}
