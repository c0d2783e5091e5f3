import { expect, test } from "vitest";
import { useHarness } from "../harness.ts";

const harness = useHarness();

test("the graph of vectors serves searches on a server, and stays empty on the embedded database", async () => {
  const { sql, place } = harness.now;
  const vector = JSON.stringify(Array.from({ length: 384 }, () => 0.05));
  const plan = await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into ticket_embeddings (ticket_id, project_id, open, embedding)
      select gen_random_uuid(), gen_random_uuid(), true, ${vector}::vector from generate_series(1, 50)`;
    await tx`set local enable_sort = off`;
    return await tx<{ "QUERY PLAN": string }[]>`
      explain select ticket_id from ticket_embeddings
      where project_id = gen_random_uuid() and open order by embedding <=> ${vector}::vector limit 10`;
  });
  const [graph] = await sql<{ bytes: number }[]>`
    select pg_relation_size('ticket_embeddings_hnsw_idx') as bytes`;
  const onServer = place.url !== undefined;
  expect(plan.some((row) => row["QUERY PLAN"].includes("ticket_embeddings_hnsw_idx"))).toBe(onServer);
  // 50 vectors of 1.5 KB don't fit into the two pages of an empty index.
  expect(graph!.bytes > 2 * 8192).toBe(onServer);
});

test("the embedded database compares the likeliest tickets by their vectors' signs, a server has no use for them", async () => {
  const { sql, place } = harness.now;
  const near = JSON.stringify(Array<number>(384).fill(0.05));
  const found = await sql.begin(async (tx) => {
    const [project] = await tx<{ id: string }[]>`select gen_random_uuid() as id`;
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role, actor_id,
        source, created_with)
      select gen_random_uuid(), ${
      project!.id
    }::uuid, n, 'A title', 'A description', 'bug', 'low', false, 'user', '', 'portal',
        'key' from generate_series(1, 1000) n`;
    await tx`set local session_replication_role = origin`;
    await tx`
      insert into ticket_embeddings (ticket_id, project_id, open, embedding)
      select id, project_id, true, case when number % 100 = 0 then ${near}::vector
        else array(select random() - 0.5 + 0 * number from generate_series(1, 384))::real[]::vector end
      from tickets where project_id = ${project!.id}::uuid`;
    return await tx<{ number: number; signs: number }[]>`
      select t.number, (select count(*) from ticket_embedding_bits b where b.project_id = t.project_id) as signs
      from similar_tickets(${
      project!.id
    }::uuid, ${near}::vector, 0.65, 5) s join tickets t on t.id = s.ticket_id`;
  });
  expect(found).toHaveLength(5);
  expect(found.filter(({ number, signs }) => number % 100 !== 0 || signs !== (place.url ? 0 : 1000))).toEqual(
    [],
  );
});
