import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Embedder } from "../../src/embedding/embedder.ts";
import { makeTicket, type TestProject, type TestTicket } from "../factories.ts";
import type { Answer, Harness } from "../harness.ts";

/**
 * Embeds by words. Texts with the same words have the same direction; texts without a common word
 * are at right angles.
 */
const wordEmbedder: Embedder = {
  state: () => ({ state: "ready", queued: 0 }),
  embed(text) {
    const vector = new Float32Array(384);
    for (const [word] of text.toLowerCase().matchAll(/\p{L}+/gu)) {
      const hash = createHash("sha256").update(word).digest();
      vector[hash.readUInt16BE() % 384]! += 1;
    }
    const length = Math.hypot(...vector) || 1;
    return Promise.resolve(vector.map((value) => value / length));
  },
  close: () => {},
};

/** Options of a harness that embeds tickets in this way. */
export const embedding = { embedder: wordEmbedder, env: { EMBEDDING_THREADS: "1" } };

/** Texts whose words don't resemble those of another text. */
export const UPLOAD = {
  title: "Upload of large videos stops in UploadWorker",
  description: "The browser reports a network error when UploadWorker receives videos beyond two gigabytes.",
};
export const UPLOAD_AGAIN = {
  title: "UploadWorker stops on large videos",
  description: "Since Monday the upload of videos beyond two gigabytes stops, network error in the browser.",
};
export const INVOICE = {
  title: "Invoice shows last year's address",
  description: "Customers who moved find their former street printed there; accounting asks for corrections.",
};

/** Reads changes and analyzes them, as the cron and the workers would. */
export async function analyze(harness: Harness): Promise<void> {
  await harness.run("collect-changes");
  await harness.work("analyze-project");
}

/** Analyzes all open tickets, as the service does every night. */
export async function analyzeAll(harness: Harness): Promise<void> {
  await harness.run("analyze-all-projects");
  await harness.work("analyze-project");
}

export interface Listed {
  id: string;
  kind: string;
  status: string;
  title: string;
  rationale: string;
  confidence: number;
  ticket_id: string;
  // The tests of each kind check its evidence.
  // deno-lint-ignore no-explicit-any
  evidence: any;
  decided_by: string | null;
}

export async function list(
  harness: Harness,
  project: TestProject,
  query = "status=pending",
): Promise<Listed[]> {
  const { status, body } = await harness.call("GET", `${project.path}/ai-suggestions?limit=100&${query}`, {
    token: project.admin.token,
  });
  expect(status).toBe(200);
  expect(body.count).toBe(body.suggestions.length);
  return body.suggestions;
}

export function decide(
  harness: Harness,
  project: TestProject,
  suggestion: { id: string },
  verb: "accept" | "dismiss" | "undo",
): Promise<Answer> {
  return harness.call("POST", `${project.path}/ai-suggestions/${suggestion.id}/${verb}`, {
    token: project.admin.token,
  });
}

export async function makePair(
  harness: Harness,
  project: TestProject,
): Promise<{ first: TestTicket; second: TestTicket }> {
  const first = await makeTicket(harness, project, UPLOAD);
  const second = await makeTicket(harness, project, UPLOAD_AGAIN);
  return { first, second };
}

/** Makes the ticket's only task, which is done. */
export async function makeDoneTask(
  harness: Harness,
  { admin: { token } }: TestProject,
  ticket: TestTicket,
  fields = { title: "Only one", role: "qa" },
): Promise<{ id: string; path: string }> {
  const { body: { id } } = await harness.call("POST", `${ticket.path}/tasks`, { token, body: fields });
  const path = `${ticket.path}/tasks/${id}`;
  for (const status of ["in_progress", "done"]) {
    await harness.call("PATCH", path, { token, body: { status } });
  }
  return { id, path };
}

/** Returns everything that is stored of a ticket, except the counters of its changes. */
export async function stateOf({ sql }: Harness, ticketId: string): Promise<Record<string, unknown>> {
  const [row] = await sql<{ state: Record<string, unknown> }[]>`
    select to_jsonb(t) - '{version,updated_at}'::text[] || jsonb_build_object(
      'roles', (select jsonb_agg(to_jsonb(r) order by r.role) from ticket_roles r where r.ticket_id = t.id),
      'tasks', (select jsonb_agg(to_jsonb(k) - '{version,updated_at}'::text[] order by k.sequence)
        from tasks k where k.ticket_id = t.id),
      'cases', (select jsonb_agg(to_jsonb(c) order by c.id) from test_cases c where c.ticket_id = t.id),
      'duplicate', (select to_jsonb(d) from ticket_duplicates d where d.ticket_id = t.id),
      'searched', (select e.open from ticket_embeddings e where e.ticket_id = t.id)) as state
    from tickets t where t.id = ${ticketId}::uuid`;
  return row!.state;
}

/** Sets back all times of a ticket, as if nobody had touched the ticket for this number of days. */
export async function leaveAlone({ sql }: Harness, ticketId: string, days: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
    await tx`
      update history set created_at = created_at - make_interval(days => ${days}) where ticket_id = ${ticketId}::uuid`;
    await tx`
      update tickets set created_at = created_at - make_interval(days => ${days}),
        updated_at = updated_at - make_interval(days => ${days}) where id = ${ticketId}::uuid`;
  });
}
