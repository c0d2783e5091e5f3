-- Search by words and by meaning. Both kinds of index stand apart from the tickets, so that moving a ticket touches neither.

-- Words ---------------------------------------------------------------------------------------------------

-- The text as the words search sees it. PostgreSQL's parser takes java.net.SocketServer, src/main.ts and an address for
-- one word each, which a search for a part never finds, and <Header> for a tag, which no search finds. So the signs that
-- join such words become blanks. Over a row of a_a_a or a1@a1@a1 the parser takes quadratic time, which the same blanks
-- avoid. In scripts that put no blanks between words each letter becomes a word, and a search looks for a phrase of them.
-- Letters are the same composed or not, wide or not; invisible marks, which the parser takes for a part of the word before
-- them, become blanks. Text with Latin letters alone pays for one look at it.
create function searched_text(text text) returns text language sql immutable parallel safe
return replace(replace(replace(replace(replace(replace(
  case when text ~ '[\u00AD\u0300-\u1FFF\u200B-\u200F\u202A-\u202E\u2060-\u206F\u20E3\u2C00-\U0003FFFF]' then regexp_replace(
    regexp_replace(normalize(translate(text, '０１２３４５６７８９ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ',
        '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'), nfc),
      '[\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u20E3\uFE0F\uFEFF]', ' ', 'g'),
    '([\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u9FFF\uAC00-\uD7FF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF])',
    ' \1 ', 'g') else text end,
  '.', ' '), '/', ' '), '<', ' '), '_', ' '), '@', ' '), '~', ' ');

create function ticket_document(title text, description text) returns tsvector language sql immutable
return setweight(to_tsvector('english', searched_text(title)), 'A') ||
  to_tsvector('english', searched_text(description));

create table ticket_texts (
  ticket_id uuid primary key references tickets (id),
  project_id uuid not null,
  document tsvector not null
);
create index ticket_texts_document_idx on ticket_texts using gin (document);

-- The searched text follows the ticket's text for every writer.
create function index_new_texts() returns trigger language plpgsql as $$
begin
  insert into ticket_texts (ticket_id, project_id, document)
  select id, project_id, ticket_document(title, description) from inserted;
  return null;
end $$;
create trigger tickets_text_insert after insert on tickets referencing new table as inserted
  for each statement execute function index_new_texts();

create function index_changed_text() returns trigger language plpgsql as $$
begin
  update ticket_texts set document = ticket_document(new.title, new.description) where ticket_id = new.id;
  return null;
end $$;
create trigger tickets_text_update after update of title, description on tickets
  for each row when (old.title is distinct from new.title or old.description is distinct from new.description)
  execute function index_changed_text();

-- Meaning -------------------------------------------------------------------------------------------------

create table ticket_embeddings (
  ticket_id uuid primary key references tickets (id),
  project_id uuid not null,
  open boolean not null,
  embedding vector(384) not null
);
create index ticket_embeddings_project_idx on ticket_embeddings (project_id) where open;

-- PGlite has one thread for everything. Taking a vector into the graph costs it 12 ms, and repairing the graph after tickets
-- were closed 15 s of standstill with 3,000 vectors; comparing 3,000 vectors without a graph costs 14 ms. So its graph
-- stays empty. The function is immutable, as an index asks for, because no database changes its engine.
create function keeps_vector_graph() returns boolean language sql immutable parallel safe as $$
  select pg_catalog.version() not like '%emscripten%'
$$;
-- With these settings and an ef_search of 160 the search finds 99 of 100 true hits. With pgvector's own 64 and 100 it took
-- half as long and found 93.
create index ticket_embeddings_hnsw_idx on ticket_embeddings using hnsw (embedding vector_cosine_ops)
  with (ef_construction = 200) where open and keeps_vector_graph();

-- The signs of a vector's numbers. PGlite compares all open tickets of a project; vectors have 1.6 KB each, which no
-- processor's cache holds next to the model, and their signs have 48 bytes and tell which tickets may be near. Of 6,736
-- true hits among 2,282 real tickets, 99.8 % are among the first 100 by signs, and all are among the first 200.
create table ticket_embedding_bits (
  ticket_id uuid primary key,
  project_id uuid not null,
  bits bit(384) not null
);
create index ticket_embedding_bits_project_idx on ticket_embedding_bits (project_id);

create function keep_embedding_bits() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from ticket_embedding_bits b using deleted d where b.ticket_id = d.ticket_id;
  end if;
  if tg_op <> 'DELETE' then
    insert into ticket_embedding_bits (ticket_id, project_id, bits)
    select ticket_id, project_id, binary_quantize(embedding)::bit(384) from inserted where open;
  end if;
  return null;
end $$;
create trigger ticket_embeddings_bits_insert after insert on ticket_embeddings referencing new table as inserted
  for each statement when (not keeps_vector_graph()) execute function keep_embedding_bits();
create trigger ticket_embeddings_bits_update after update on ticket_embeddings
  referencing old table as deleted new table as inserted
  for each statement when (not keeps_vector_graph()) execute function keep_embedding_bits();
create trigger ticket_embeddings_bits_delete after delete on ticket_embeddings referencing old table as deleted
  for each statement when (not keeps_vector_graph()) execute function keep_embedding_bits();

-- The open tickets nearest to a vector, best first. The scan goes on past the first page of the index when the filter
-- (project, open) drops too many of its rows. The query is planned at each call: a plan for any project takes each for one
-- of average size and compares all of 100,000 vectors (65 ms) where the index has the answer in 3.
create function similar_tickets(in_project uuid, query vector(384), threshold double precision, max_rows integer)
returns table (ticket_id uuid, similarity double precision)
language plpgsql stable
set hnsw.ef_search = 160
set hnsw.iterative_scan = 'strict_order'
as $$
declare
  query_bits bit(384) := binary_quantize(query);
begin
  if keeps_vector_graph() then
    return query execute $query$
      select n.ticket_id, n.similarity from (
        select e.ticket_id, 1 - (e.embedding <=> $2) as similarity
        from ticket_embeddings e
        where e.project_id = $1 and e.open
        order by e.embedding <=> $2
        limit $4
      ) n where n.similarity >= $3
    $query$ using in_project, query, threshold, max_rows;
  else
    return query
      with candidate as (
        select b.ticket_id from ticket_embedding_bits b
        where b.project_id = in_project
        order by b.bits <~> query_bits
        limit 200
      ), near as (
        select e.ticket_id, 1 - (e.embedding <=> query) as similarity
        from candidate c join ticket_embeddings e on e.ticket_id = c.ticket_id
        order by e.embedding <=> query
        limit max_rows
      )
      select n.ticket_id, n.similarity from near n where n.similarity >= threshold;
  end if;
end $$;
