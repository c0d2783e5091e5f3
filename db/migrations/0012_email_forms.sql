-- Addresses are compared in one Unicode form. One that would be another user's, or another's answer, stays as it is.
update users u set email = normalize(u.email)
where u.email is not nfc normalized and not exists (
  select from users o where o.id <> u.id and lower(normalize(o.email)) = lower(normalize(u.email)));

update survey_responses r set email = normalize(r.email)
where r.email is not nfc normalized and not exists (
  select from survey_responses o
  where o.survey_id = r.survey_id and o.id <> r.id and normalize(o.email) = normalize(r.email));
