-- An empty outbox may be large: a dump or a long transaction keeps vacuum from removing what was numbered in the meantime, and
-- each look reads all of it. The sequencer is told the size, and gives the pages back once the outbox is empty.
drop function number_events();
create function number_events(out last_seq bigint, out numbered integer, out outbox_bytes bigint) language plpgsql as $$
begin
  numbered := 0;
  if exists (select from event_outbox) then
    perform pg_advisory_xact_lock(hashtextextended('number_events', 0));
    with moved as (
      delete from event_outbox
      where ctid = any (array(select o.ctid from event_outbox o order by o.history_id limit 5000))
      returning *
    )
    insert into events (seq, history_id, project_id, ticket_version, title, stage, status, imported)
    select c.last_seq + row_number() over (order by m.history_id), m.history_id, m.project_id, m.ticket_version, m.title,
      m.stage, m.status, m.imported
    from moved m, event_counter c;
    get diagnostics numbered = row_count;
    if numbered > 0 then
      update event_counter c set last_seq = c.last_seq + numbered;
    end if;
  end if;
  select c.last_seq into last_seq from event_counter c;
  outbox_bytes := pg_relation_size('event_outbox');
end $$;
