-- The refs in texts of tickets, such as HO-12, so that a ticket can show where it is mentioned. The follower `references`
-- keeps them after each change of a text. A ref is kept as it was written, because its ticket may come later, as in an
-- import of several pages. The follower begins with the first event, so it finds the refs in older texts, too.
create table ticket_references (
  ticket_id uuid not null references tickets (id),
  entity text not null check (entity in ('ticket', 'task', 'test_case', 'comment', 'question')),
  entity_id uuid not null,
  account_id uuid not null references accounts (id),
  key text not null,
  number integer not null,
  created_at timestamptz(3) not null,
  primary key (entity_id, key, number)
);
create index ticket_references_ticket_idx on ticket_references (ticket_id);
create index ticket_references_ref_idx on ticket_references (account_id, key, number);

insert into event_followers (name, seq) values ('references', 0);
