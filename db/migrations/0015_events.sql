-- Every row of history becomes one event with a dense number. The number can't be given by the change itself: of two changes
-- at once the later number may commit first, and a reader that is past it would never see the other one.
-- 1. The change writes an unnumbered row into event_outbox, in its own transaction.
-- 2. number_events() moves what is committed into events, one caller at a time.

-- The ticket as the change left it. No key and no index: the table is nearly empty, and each one would cost every write.
create table event_outbox (
  history_id bigint not null,
  project_id uuid not null,
  ticket_version integer,
  title text,
  stage text,
  status text
) with (vacuum_truncate = off); -- To give pages back, a vacuum would lock out the writers.

create table events (
  seq bigint not null,
  history_id bigint not null,
  project_id uuid not null,
  ticket_version integer,
  title text,
  stage text,
  status text,
  primary key (seq)
) with (vacuum_truncate = off);
create index events_project_idx on events (project_id, seq);

-- The last number that was given out. It isn't max(seq), because old events are deleted.
create table event_counter (last_seq bigint not null);
insert into event_counter values (0);

-- A deploy belongs to a project, not to a ticket.
alter table history alter ticket_id drop not null;

-- Sequential scans are off because the plan is kept: one that was made for ten tickets would read thousands for each row.
create function queue_events() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  insert into event_outbox (history_id, project_id, ticket_version, title, stage, status)
  select i.id, i.project_id, t.version, t.title, t.stage, t.status
  from inserted i left join tickets t on t.id = i.ticket_id;
  return null;
end $$;

create trigger history_events after insert on history referencing new table as inserted
for each statement execute function queue_events();

-- Numbers up to 5000 committed rows and answers how many, and the last number. The rows of one ticket come in the order of
-- its changes, because these wait for one another before they take their place in history. The lock ends with the
-- transaction, so whoever gets it next sees what was numbered: each statement of a function reads the latest state.
create function number_events(out last_seq bigint, out numbered integer) language plpgsql as $$
begin
  numbered := 0;
  if exists (select from event_outbox) then
    perform pg_advisory_xact_lock(hashtextextended('number_events', 0));
    with moved as (
      delete from event_outbox
      where ctid = any (array(select o.ctid from event_outbox o order by o.history_id limit 5000))
      returning *
    )
    insert into events (seq, history_id, project_id, ticket_version, title, stage, status)
    select c.last_seq + row_number() over (order by m.history_id), m.history_id, m.project_id, m.ticket_version, m.title,
      m.stage, m.status
    from moved m, event_counter c;
    get diagnostics numbered = row_count;
    if numbered > 0 then
      update event_counter c set last_seq = c.last_seq + numbered;
    end if;
  end if;
  select c.last_seq into last_seq from event_counter c;
end $$;
