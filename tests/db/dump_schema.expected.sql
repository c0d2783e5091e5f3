-- Written by npm run schema; do not edit. The reasons stand in db/migrations/.

create type colour as enum ('red', 'green');

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table things (
  id bigint not null generated always as identity,
  name text not null default 'it''s'::text,
  colour colour not null,
  slug text generated always as (lower(name)) stored,
  parent bigint,
  embedding vector(3),
  constraint things_name CHECK ((length(name) < 9)),
  constraint things_parent_fkey FOREIGN KEY (parent) REFERENCES things(id) ON DELETE CASCADE,
  constraint things_pkey PRIMARY KEY (id)
) with (fillfactor=90);
CREATE INDEX things_red ON public.things USING btree (name DESC) WHERE (colour = 'red'::colour);
CREATE TRIGGER things_touch BEFORE UPDATE ON public.things FOR EACH ROW EXECUTE FUNCTION touch();

create view red_things as
 SELECT id
   FROM things
  WHERE (colour = 'red'::colour);

CREATE OR REPLACE FUNCTION public.touch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin return new; end $function$
;
