-- Text of scripts that put no blanks between words has each letter for a word, and what is sought there is a phrase of
-- them. Composed and decomposed letters, wide and narrow ones are the same. What PostgreSQL would take for a part of an
-- address or a path is a blank: over a row of a_a_a or a1@a1@a1 its parser takes quadratic time.
-- Only text with other letters than Latin ones pays for the second and third step; ™ would become the letters TM.
create or replace function searched_text(text text) returns text language sql immutable parallel safe
return replace(replace(replace(replace(replace(replace(
  case when text ~ '[\u0300-\u1FFF\u2C00-\U0003FFFF]' then regexp_replace(normalize(replace(text, '™', ' '), nfkc),
    '([\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u9FFF\uAC00-\uD7FF\uF900-\uFAFF\U00020000-\U0003FFFF])',
    ' \1 ', 'g') else text end,
  '.', ' '), '/', ' '), '<', ' '), '_', ' '), '@', ' '), '~', ' ');

update ticket_texts x set document = ticket_document(t.title, t.description)
from tickets t where t.id = x.ticket_id and t.title || t.description ~ '[~\u0300-\u1FFF\u2C00-\U0003FFFF]';
