-- The embedded engine has one thread for everything. To take a vector into the graph costs it 12 ms, and to repair the graph
-- after tickets were closed 15 s of standstill with 3,000 vectors; to compare 3,000 without a graph, 14 ms. So its graph
-- stays empty and it compares them all. Immutable, as an index asks for: no database changes its engine.
create function keeps_vector_graph() returns boolean language sql immutable parallel safe as $$
  select pg_catalog.version() not like '%emscripten%'
$$;
drop index ticket_embeddings_hnsw_idx;
create index ticket_embeddings_hnsw_idx on ticket_embeddings using hnsw (embedding vector_cosine_ops)
  with (ef_construction = 200) where open and keeps_vector_graph();
