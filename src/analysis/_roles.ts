import type { Context } from "../core/context.ts";
import type { Role } from "../core/schema.ts";
import { fingerprintOf } from "../suggestions/fingerprint.ts";
import type { Subject, TicketFacts } from "./_batch.ts";
import { type Finding, listed, rounded } from "./_finding.ts";

/**
 * The latest tickets with roles, among which the nearest are searched exactly, because closed
 * tickets are in no vector index.
 */
const PAST = 2_000;
/**
 * The number of tickets among which those with roles are searched. In a project without roles, a
 * search without this limit would read all tickets and find none.
 */
const WINDOW = 10_000;
const VOTERS = 10;
/** Below this cosine two texts have little in common. */
const LEAST_COSINE = 0.4;
/** The share of the voters' weight that a role needs, and the least number of voters. */
const LEAST_SHARE = 0.6;
const LEAST_VOTERS = 3;

interface Voter {
  id: string;
  voter_id: string;
  voter_ref: string;
  voter_title: string;
  cosine: number;
  roles: Role[];
}

/** Suggests roles for open tickets that have none: the roles of the most similar past tickets. */
export async function findRoles(
  ctx: Context,
  subject: Subject,
  tickets: readonly TicketFacts[],
): Promise<Finding[]> {
  const without = tickets.filter(({ status, roles, embedded }) =>
    status === "open" && roles.length === 0 && embedded
  );
  if (without.length === 0) return [];
  const voters = await readVoters(ctx, subject, without.map(({ id }) => id));
  const byTicket = Map.groupBy(voters, ({ id }) => id);
  return without.flatMap((ticket) => chooseRoles(subject, ticket, byTicket.get(ticket.id) ?? []));
}

async function readVoters(ctx: Context, subject: Subject, ids: string[]): Promise<Voter[]> {
  return await ctx.db<Voter[]>`
    with past as materialized (
      select t.id, t.number, t.title, e.embedding from (
        select id, number, title, created_at from tickets where project_id = ${subject.id}::uuid
        order by created_at desc, id desc limit ${WINDOW}
      ) t join ticket_embeddings e on e.ticket_id = t.id
      where exists (select from ticket_roles r where r.ticket_id = t.id)
      order by t.created_at desc, t.id desc limit ${PAST}
    )
    select e.ticket_id as id, n.id as voter_id, ${subject.key} || '-' || n.number as voter_ref, n.title as voter_title, n.cosine,
      array(select r.role from ticket_roles r where r.ticket_id = n.id order by r.role) as roles
    from ticket_embeddings e
    cross join lateral (
      select p.id, p.number, p.title, 1 - (p.embedding <=> e.embedding) as cosine from past p
      order by p.embedding <=> e.embedding limit ${VOTERS}
    ) n
    where e.ticket_id = any (${ids}::uuid[]) and n.cosine >= ${LEAST_COSINE}`;
}

function chooseRoles(subject: Subject, ticket: TicketFacts, voters: readonly Voter[]): Finding[] {
  if (voters.length < LEAST_VOTERS) return [];
  const whole = voters.reduce((sum, { cosine }) => sum + cosine, 0);
  const candidates = new Set(voters.flatMap(({ roles }) => roles));
  return [...candidates].flatMap((role) => {
    const votes = voters.filter(({ roles }) => roles.includes(role));
    const share = votes.reduce((sum, { cosine }) => sum + cosine, 0) / whole;
    if (share < LEAST_SHARE || subject.disabled_roles.includes(role)) return [];
    return [describeRole(ticket, role, { votes, of: voters.length, share })];
  });
}

function describeRole(
  { id, ticket_ref, text_digest }: TicketFacts,
  role: Role,
  { votes, of, share }: { votes: readonly Voter[]; of: number; share: number },
): Finding {
  const nearest = votes.toSorted((x, y) => y.cosine - x.cosine);
  const refs = nearest.slice(0, 3).map(({ voter_ref }) => voter_ref);
  return {
    kind: "role",
    ticket_id: id,
    title: `Give ${ticket_ref} the role ${role}`,
    rationale: `${votes.length} of the ${of} most alike past tickets had the role ${role}, such as ${
      listed(refs)
    }.`,
    confidence: rounded(share),
    evidence: {
      role,
      votes: nearest.map((voter) => ({
        ticket_id: voter.voter_id,
        ticket_ref: voter.voter_ref,
        title: voter.voter_title,
        similarity: rounded(voter.cosine),
        roles: voter.roles,
      })),
      voters: of,
    },
    fingerprint: fingerprintOf("role", id, role, text_digest),
  };
}
