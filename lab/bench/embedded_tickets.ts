import type { Db } from "../../db/open.ts";

interface EmbeddedTicket {
  id: string;
  number: number;
  title: string;
  description: string;
  /** The vector as a pgvector literal. */
  embedding: string;
}

/** Inserts open tickets with their vectors in one statement. */
export async function insertEmbedded(db: Db, project: string, rows: EmbeddedTicket[]): Promise<void> {
  const input = JSON.stringify(rows);
  await db`
    with input as (
      select * from jsonb_to_recordset(${input}::text::jsonb)
        as r (id uuid, number integer, title text, description text, embedding text)
    ), ticket as (
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
        actor_id, source, created_with)
      select id, ${project}::uuid, number, title, description, 'bug', 'medium', false, 'user', 'bench', 'bench', 'session'
      from input
    )
    insert into ticket_embeddings (ticket_id, project_id, open, embedding)
    select id, ${project}::uuid, true, embedding::vector from input`;
}
