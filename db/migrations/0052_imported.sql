-- An import names people as the authors of comments and answers that they wrote elsewhere, or never. A mark tells readers.
alter table comments add imported boolean not null default false;
call track_history('comments', 'comment', 'id',
  'id ticket_id project_id mentions created_by created_with key_id by_bot imported created_at updated_at');

-- The answer may come later than the import, so it has a mark of its own.
alter table questions add imported boolean not null default false, add answer_imported boolean not null default false;
call track_history('questions', 'question', 'id',
  'id ticket_id project_id task_was answered_by_bot created_by created_with key_id by_bot imported answer_imported created_at updated_at');
