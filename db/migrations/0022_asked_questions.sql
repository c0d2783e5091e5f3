-- What a credential has asked, newest first.
create index questions_asked_idx on questions (created_by, id);
