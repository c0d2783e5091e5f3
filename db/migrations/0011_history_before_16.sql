-- PostgreSQL 15 has no JSON constructor that leaves nulls out: there the history's functions drop them afterwards. Later
-- versions keep the constructor, which is faster.
do $$
declare
  made regprocedure;
  body text;
begin
  if current_setting('server_version_num')::integer >= 160000 then return; end if;
  create function without_nulls(object jsonb) returns jsonb language sql immutable as
    $function$ select coalesce(jsonb_object_agg(key, value) filter (where value <> 'null'), '{}') from jsonb_each(object) $function$;
  for made in
    select oid from pg_proc where pronamespace = current_schema::regnamespace and proname ~ '^(record_history_of_|track_history$)'
  loop
    body := replace(pg_get_functiondef(made), 'json_object(', 'without_nulls(jsonb_build_object(');
    body := replace(body, ' absent on null returning jsonb)', '))');
    execute regexp_replace(body, '(''[a-z_]+''|%1\$L): ', '\1, ', 'g');
  end loop;
end $$;
