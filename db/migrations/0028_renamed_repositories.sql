-- A pull request keeps the provider's id when its repository gets another name: it is looked for by it.
create index pull_requests_provider_idx on pull_requests (provider_id) where provider_id is not null;
