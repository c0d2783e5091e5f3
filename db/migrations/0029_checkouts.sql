-- The payment provider's page that an account was sent to last: two pages that are open at once can both be paid.
create table billing_checkouts (
  account_id uuid primary key references accounts (id),
  session_id text not null,
  asked text not null,
  updated_at timestamptz(3) not null default now()
);
