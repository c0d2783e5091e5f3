-- The history of tickets and their parts. Triggers write it, so no door can forget it. A table is tracked by one call of
-- track_history beside the table.

-- One row for each change of a thing, with all fields that changed. Numbers grow by 64, so that history_entries can give
-- each field of a change a number of its own.
create table history (
  id bigint generated always as identity (increment by 64) primary key,
  project_id uuid not null,
  ticket_id uuid not null,
  entity text not null,
  entity_id text not null,
  action text not null,
  from_value jsonb,
  to_value jsonb,
  actor jsonb not null,
  request_id text,
  -- A transaction may wait for a lock behind another change. The time of its row is later than its begin.
  created_at timestamptz(3) not null default clock_timestamp(),
  changes jsonb -- of a change: field → [from, to]
);
create index history_ticket_idx on history (ticket_id, id);

-- One row for each changed field, numbered within the room of its change.
create view history_entries as
select h.id + coalesce(c.place, 1) - 1 as id, h.id as history_id, h.project_id, h.ticket_id, h.entity, h.entity_id, h.action,
  c.field, case when c.field is null then h.from_value else nullif(c.pair -> 0, 'null') end as from_value,
  case when c.field is null then h.to_value else nullif(c.pair -> 1, 'null') end as to_value, h.actor, h.request_id, h.created_at
from history h left join lateral jsonb_each(h.changes) with ordinality as c (field, pair, place) on true;

-- The author of this transaction's changes, which core/history.ts names: one author, or one for each ticket under
-- "tickets". A change without an author fails.
create function acting() returns jsonb language plpgsql stable as $$
declare
  actor text := nullif(current_setting('handoff.actor', true), '');
begin
  if actor is null then
    raise exception 'a change of a ticket needs an actor: write through transact()' using errcode = 'HF001';
  end if;
  return actor::jsonb;
end $$;

create function acting_on(actor jsonb, ticket text) returns jsonb language sql immutable
return case when actor ? 'tickets' then actor -> 'tickets' -> ticket else actor end;

-- PostgreSQL 15 has no JSON constructor that leaves nulls out. Later versions have it, and it is faster.
do $$
begin
  if current_setting('server_version_num')::integer >= 160000 then return; end if;
  create function without_nulls(object jsonb) returns jsonb language sql immutable as
    $function$ select coalesce(jsonb_object_agg(key, value) filter (where value <> 'null'), '{}') from jsonb_each(object) $function$;
end $$;

-- Makes the triggers that write the history of a table's rows. Call it again when the table gets columns.
--
-- The function that it generates spells out the table's columns, because looking through each row as JSON took five times
-- as long. A created or deleted row leaves out its columns that are null; nulls inside a column's own JSON stay. An update
-- that touches no row needs no author. The full join can only hash or merge: a trigger's plan is made once for a session,
-- mostly for a change of one row, and with a nested loop the first change of 1,000 rows in that session compared a million
-- pairs (360 ms for a deploy instead of 90). Both sides of the join are always there, because no tracked table ever
-- changes its key.
create procedure track_history(of_table text, entity text, id_column text, untracked text) language plpgsql as $$
declare
  ticket_column text := case when entity = 'ticket' then 'id' else 'ticket_id' end;
  trigger_function text := 'record_history_of_' || of_table;
  omits_nulls boolean := current_setting('server_version_num')::integer >= 160000;
  separator text := case when omits_nulls then ': ' else ', ' end;
  object text := case when omits_nulls then 'json_object(%s absent on null returning jsonb)'
    else 'without_nulls(jsonb_build_object(%s))' end;
  facts text;
  changes text;
  event text;
begin
  select string_agg(format('%1$L%2$sr.%1$I', attname, separator), ', ' order by attnum),
    string_agg(format('%1$L%2$scase when o.%1$I is distinct from n.%1$I then jsonb_build_array(o.%1$I, n.%1$I) end',
      attname, separator), ', ' order by attnum)
  into strict facts, changes
  from pg_attribute
  where attrelid = of_table::regclass and attnum > 0 and not attisdropped and attname <> all (string_to_array(untracked, ' '));
  execute format($function$
    create or replace function %1$I() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        insert into history (project_id, ticket_id, entity, entity_id, action, to_value, actor, request_id)
        select r.project_id, r.%2$I, %3$L, r.%4$I::text, 'created', %5$s,
          w.who - 'request_id', w.who ->> 'request_id'
        from inserted r cross join lateral (select acting_on((select acting()), r.%2$I::text) as who offset 0) w;
      elsif tg_op = 'DELETE' then
        insert into history (project_id, ticket_id, entity, entity_id, action, from_value, actor, request_id)
        select r.project_id, r.%2$I, %3$L, r.%4$I::text, 'deleted', %5$s,
          (select acting() - 'request_id'), (select acting() ->> 'request_id')
        from deleted r;
      else
        insert into history (project_id, ticket_id, entity, entity_id, action, changes, actor, request_id)
        select n.project_id, n.%2$I, %3$L, n.%4$I::text, 'changed', c.changes,
          (select acting() - 'request_id'), (select acting() ->> 'request_id')
        from inserted n full join deleted o on o.%2$I = n.%2$I and o.%4$I = n.%4$I
        cross join lateral (select %6$s as changes offset 0) c
        where c.changes <> '{}';
      end if;
      return null;
    end $body$ $function$, trigger_function, ticket_column, entity, id_column, format(object, facts), format(object, changes));
  -- db/schema.sql shows this call in place of the generated function.
  execute format('comment on function %I() is %L', trigger_function,
    format('call track_history(%L, %L, %L, %L);', of_table, entity, id_column, untracked));
  foreach event in array array['insert', 'update', 'delete'] loop
    execute format('create or replace trigger %I after %s on %I referencing %s for each statement execute function %I()',
      of_table || '_history_' || event, event, of_table, case event when 'insert' then 'new table as inserted'
        when 'delete' then 'old table as deleted' else 'old table as deleted new table as inserted' end, trigger_function);
  end loop;
end $$;

-- A row as JSON with its times as on the wire. PostgreSQL writes +00:00 into JSON, and milliseconds only where there are any.
create function wire_times(whole_row jsonb) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(key, case when key like '%\_at' and jsonb_typeof(value) = 'string'
    then to_jsonb(to_char((value #>> '{}')::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) else value end), '{}')
  from jsonb_each(whole_row)
$$;
