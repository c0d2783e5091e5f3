-- A session prepares a function in plpgsql once. A function in SQL that can't become a part of its statement is prepared again
-- for each statement, which was a twentieth of what a creation costs the database. PostgreSQL calls keeps_vector_graph for each
-- statement that inserts embeddings.
create or replace function acting_on(actor jsonb, ticket text) returns jsonb language plpgsql immutable as $$
begin
  return case when actor ? 'tickets' then actor -> 'tickets' -> ticket else actor end;
end $$;

create or replace function keeps_vector_graph() returns boolean language plpgsql immutable parallel safe as $$
begin
  return pg_catalog.version() not like '%emscripten%';
end $$;
