-- A signed-in person answers a survey once, also when their email has changed since. Of earlier doubles the first keeps
-- the name of its person; nothing that was said is lost.
update survey_responses r set user_id = null
where exists (select from survey_responses f where f.survey_id = r.survey_id and f.user_id = r.user_id and f.id < r.id);
create unique index survey_responses_user_key on survey_responses (survey_id, user_id) where user_id is not null;
