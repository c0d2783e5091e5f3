-- Answers of creations with an idempotency key inside a ticket, kept with it.
create table part_creations (
  ticket_id uuid not null references tickets (id),
  part text not null check (part in ('task', 'test_case')),
  idempotency_key text not null,
  response jsonb not null,
  primary key (ticket_id, part, idempotency_key)
);
