-- Tasks and test cases of a whole project, in the order of their ids. What is unfinished is a small part of years of work
-- and has an index of its own; a person's tasks keep the index that they had, now in that order too.
create index tasks_project_idx on tasks (project_id, id);
create index tasks_unfinished_idx on tasks (project_id, id) where status in ('pending', 'in_progress', 'blocked');
drop index tasks_assignee_idx;
create index tasks_assignee_idx on tasks (assignee_user_id, project_id, id) where assignee_user_id is not null;

create index test_cases_project_idx on test_cases (project_id, id);
create index test_cases_status_idx on test_cases (project_id, status, id);
