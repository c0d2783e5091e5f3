-- The vectors of these texts came from a model that can't read them: made anew, from their letters, by the next backfill.
delete from ticket_embeddings e using tickets t
where t.id = e.ticket_id and t.title || t.description ~ '[\u0370-\u1DFF\u2E80-\uD7FF\U00020000-\U0003FFFF]';
