-- Whose account at the code host was last asked to make a ticket's issue: one whose record was lost is found by it.
create table issue_makers (
  ticket_id uuid primary key references tickets (id),
  login text not null
);
