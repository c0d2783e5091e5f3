-- The filters of a search by author, by the end of tickets, by estimate and by who watches. Tickets without an estimate,
-- and open ones, cost nothing in the indexes of these fields.
create index tickets_author_idx on tickets (project_id, created_by, created_at, id) where created_by is not null;
create index tickets_closed_idx on tickets (project_id, closed_at, id) where closed_at is not null;
create index tickets_estimate_idx on tickets (project_id, estimate, id) where estimate is not null;
create index watchers_user_idx on watchers (user_id, project_id, ticket_id);
