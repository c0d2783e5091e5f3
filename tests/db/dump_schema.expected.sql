-- Written by npm run schema; do not edit.

CREATE OR REPLACE FUNCTION public.touch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin return new; end $function$
;

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now()
);
alter table schema_migrations add constraint schema_migrations_pkey PRIMARY KEY (version);

create table things (
  id bigint not null generated always as identity,
  name text not null default 'it''s'::text,
  colour colour not null,
  slug text generated always as (lower(name)) stored,
  parent bigint,
  embedding vector(3)
) with (fillfactor=90);
alter table things add constraint things_name CHECK ((length(name) < 9));
alter table things add constraint things_parent_fkey FOREIGN KEY (parent) REFERENCES things(id) ON DELETE CASCADE;
alter table things add constraint things_pkey PRIMARY KEY (id);
CREATE INDEX things_red ON public.things USING btree (name DESC) WHERE (colour = 'red'::colour);
CREATE TRIGGER things_touch BEFORE UPDATE ON public.things FOR EACH ROW EXECUTE FUNCTION touch();

create type colour as enum ('red', 'green');

create view red_things as
 SELECT id
   FROM things
  WHERE (colour = 'red'::colour);
