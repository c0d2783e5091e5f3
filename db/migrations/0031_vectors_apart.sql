-- Where some 2,000 tickets and more of the same text are open, their equal vectors stop the search in the graph: among
-- equals no step leads nearer, and it ends without the others. Vectors are stored a little apart now (_similar.ts); so are
-- these, of which more than ten were equal. Vacuum takes the former ones out of the graph.
update ticket_embeddings e
set embedding = (
  select array_agg(number * (1 + 3.4e-5 * (random() - 0.5)) order by place)::vector
  from unnest(e.embedding::real[]) with ordinality as numbers (number, place)
)
from (
  select embedding from ticket_embeddings where open group by embedding having count(*) > 10
) equal
where keeps_vector_graph() and e.open and e.embedding = equal.embedding;
