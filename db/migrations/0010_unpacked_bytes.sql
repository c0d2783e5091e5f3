-- What a value takes when it is read; pg_column_size alone would tell what it takes as it is stored, compressed.
create function unpacked_bytes(value jsonb) returns integer
  language sql immutable parallel safe
  return coalesce(pg_column_size(value #> '{}'), 0);
