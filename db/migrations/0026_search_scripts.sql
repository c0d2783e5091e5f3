-- Text of scripts that put no blanks between words has each letter for a word, and what is sought there is a phrase of
-- them. Letters are the same composed or not, wide or not; marks that nobody sees, which PostgreSQL's parser takes for a
-- part of the word before them, are blanks, and so is what it would take for a part of an address or a path: over a row
-- of a_a_a or a1@a1@a1 it takes quadratic time. What has Latin letters alone pays for one look at it.
create or replace function searched_text(text text) returns text language sql immutable parallel safe
return replace(replace(replace(replace(replace(replace(
  case when text ~ '[\u00AD\u0300-\u1FFF\u200B-\u200F\u202A-\u202E\u2060-\u206F\u20E3\u2C00-\U0003FFFF]' then regexp_replace(
    regexp_replace(normalize(translate(text, '０１２３４５６７８９ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ',
        '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'), nfc),
      '[\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u20E3\uFE0F\uFEFF]', ' ', 'g'),
    '([\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u9FFF\uAC00-\uD7FF\uF900-\uFAFF\uFF66-\uFF9F\U00020000-\U0003FFFF])',
    ' \1 ', 'g') else text end,
  '.', ' '), '/', ' '), '<', ' '), '_', ' '), '@', ' '), '~', ' ');

update ticket_texts x set document = ticket_document(t.title, t.description)
from tickets t where t.id = x.ticket_id
  and t.title || t.description ~ '[~\u00AD\u0300-\u1FFF\u200B-\u200F\u202A-\u202E\u2060-\u206F\u20E3\u2C00-\U0003FFFF]';
