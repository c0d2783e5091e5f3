-- An account may have several customers at the payment provider: two of its admins paid, or the first is gone there.
alter table billing_customers drop constraint billing_customers_pkey, drop column subscription_id,
  add primary key (account_id, customer_id);

-- An end that is to come may be told by its time alone.
alter table billing_subscriptions add cancel_at timestamptz(3);

-- The move by which a run finished, in its ticket's history: a later failure takes it back while it is the last one.
alter table agent_runs add move_id bigint;
update agent_runs r set move_id = (
  select max(h.id) from history h
  where h.ticket_id = r.ticket_id and h.entity = 'ticket' and h.changes ? 'stage' and h.created_at <= r.updated_at)
where moved_ticket;
alter table agent_runs drop column moved_ticket;
