-- Tickets that may wait for an answer or a decision. These are few, and so are the blocking ones. Lists of
-- them, and the list of what waits for a person, would otherwise read every ticket of a project.
create index tickets_waiting_idx on tickets (project_id, created_at, id)
  where pending_questions > 0 or (stage = 'validation' and cases_approved < cases_total);
create index tickets_blocking_idx on tickets (project_id, status, created_at, id) where blocking;
