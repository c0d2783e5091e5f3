-- An agent is told of the acts of others on the tickets on which its API key works.

-- The latest acts of a key, which name the tickets on which it works.
create index history_key_idx on history ((actor ->> 'key_id'), id) where actor ? 'key_id';
create index comments_mentions_idx on comments using gin (mentions) where mentions <> '{}';

-- How far an agent has seen the news: everything up to `seen`, and the rows of `recent`. A change that began earlier may
-- commit later, so that the latest rows are remembered one by one. Several agents may share a key under names of their own.
create table agent_looks (
  key_id uuid not null references api_keys (id) on delete cascade,
  agent text not null,
  seen bigint not null,
  recent bigint[] not null default '{}',
  primary key (key_id, agent)
);

-- An agent was told of the answers of the last day at each look until now. It is told once more of these.
insert into agent_looks (key_id, agent, seen)
select k.id, '', coalesce((select max(h.id) from history h where h.created_at < now() - interval '1 day'), 0) from api_keys k;
