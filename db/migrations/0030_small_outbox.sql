-- Each look for unnumbered events reads the whole outbox, and that of a busy service had grown to thousands of pages of dead
-- rows. It is written again without them. From now on the sequencer vacuums it.
lock table event_outbox in access exclusive mode;
create temporary table unnumbered on commit drop as select * from event_outbox;
truncate event_outbox;
insert into event_outbox select * from unnumbered;
