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
  // 50 vectors of 1.5 KB don't fit into the two pages of an empty one.
  expect(graph!.bytes > 2 * 8192).toBe(onServer);
});
