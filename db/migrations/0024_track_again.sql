-- track_history is called again for a table that gets columns.
do $$
begin
  execute replace(pg_get_functiondef('track_history'::regproc), 'create function %1$I()',
    'create or replace function %1$I()');
end $$;
