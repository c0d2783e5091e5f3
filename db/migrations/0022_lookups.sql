-- A page of an export read every stored creation of its project.
create index ticket_creations_ticket_idx on ticket_creations (ticket_id);

-- A role that few tasks of a project have was looked for among all of them.
create index tasks_role_idx on tasks (project_id, role, id);

-- What came in about a subject is asked for with and without its sender.
drop index deliveries_subject_idx;
create index deliveries_subject_idx on deliveries (subject, provider) where subject is not null;
