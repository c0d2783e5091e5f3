-- The rules about who may hold work are in src/assignments now. Verbs that take a right away, give a task or end a
-- question call them, behind the same locks.
drop trigger project_members_lost_rights on project_members;
drop trigger users_lost_rights on users;
drop trigger tasks_lost_assignee_insert on tasks;
drop trigger tasks_lost_assignee_update on tasks;
drop trigger questions_update on questions;
drop function follow_lost_rights();
drop function free_tasks_of(uuid);
drop function drop_lost_assignee();
drop function follow_ended_questions();
drop function claimant_works(uuid, text, uuid);
drop function may_write(uuid, uuid);
drop function forget_comment(uuid, uuid);

-- The counts on a ticket's row stay here. One trigger counts what changes, and one what is new, because an import adds
-- many rows by one statement.
alter function follow_new_questions() rename to count_new_questions;
create function count_ended_questions() returns trigger language plpgsql as $$
begin
  update tickets t set pending_questions = t.pending_questions - c.ended, human_questions = t.human_questions - c.human
  from (
    select n.ticket_id, count(*)::integer as ended, (count(*) filter (where n.resolver = 'human_only'))::integer as human
    from inserted n join deleted o on o.id = n.id where o.status = 'pending' and n.status <> 'pending' group by n.ticket_id
  ) c where t.id = c.ticket_id;
  return null;
end $$;
create trigger questions_update after update on questions referencing old table as deleted new table as inserted
  for each statement execute function count_ended_questions();

drop trigger tasks_count_update on tasks;
drop trigger tasks_count_delete on tasks;
drop function count_finished_task();
drop function count_deleted_task();
create function count_changed_task() returns trigger language plpgsql as $$
declare
  was_done constant boolean := old.status in ('done', 'skipped');
  is_done constant boolean := tg_op = 'UPDATE' and new.status in ('done', 'skipped');
begin
  if tg_op = 'UPDATE' and was_done = is_done then return null; end if;
  update tickets set tasks_done = tasks_done + is_done::integer - was_done::integer,
    tasks_total = tasks_total - (tg_op = 'DELETE')::integer
  where id = old.ticket_id;
  return null;
end $$;
create trigger tasks_count_change after delete or update of status on tasks
  for each row execute function count_changed_task();

drop trigger test_cases_count_update on test_cases;
drop trigger test_cases_count_delete on test_cases;
drop function count_decided_case();
drop function count_deleted_case();
create function count_changed_case() returns trigger language plpgsql as $$
declare
  was_approved constant boolean := old.status = 'approved';
  is_approved constant boolean := tg_op = 'UPDATE' and new.status = 'approved';
begin
  if tg_op = 'UPDATE' and was_approved = is_approved then return null; end if;
  update tickets set cases_approved = cases_approved + is_approved::integer - was_approved::integer,
    cases_total = cases_total - (tg_op = 'DELETE')::integer
  where id = old.ticket_id;
  return null;
end $$;
create trigger test_cases_count_change after delete or update of status on test_cases
  for each row execute function count_changed_case();

-- One trigger keeps the bits of embeddings.
drop trigger ticket_embeddings_bits_insert on ticket_embeddings;
drop trigger ticket_embeddings_bits_update on ticket_embeddings;
drop trigger ticket_embeddings_bits_delete on ticket_embeddings;
create or replace function keep_embedding_bits() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from ticket_embedding_bits where ticket_id = old.ticket_id;
  end if;
  if tg_op <> 'DELETE' and new.open then
    insert into ticket_embedding_bits (ticket_id, project_id, bits)
    values (new.ticket_id, new.project_id, binary_quantize(new.embedding)::bit(384));
  end if;
  return null;
end $$;
create trigger ticket_embeddings_bits after insert or update or delete on ticket_embeddings
  for each row when (not keeps_vector_graph()) execute function keep_embedding_bits();
