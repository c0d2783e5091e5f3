-- A symbol such as ㎏ is a word of its own, so that ①login is found as login. A text with such a symbol is also read in its usual
-- form (NFKC), in which the symbol is a part of the word around it, so that 5㎏ is found as 5kg.
create function has_symbols(text text) returns boolean language sql immutable parallel safe as $$
  select text ~ '[\u00BC-\u00BE\u20A8\u2100-\u2101\u2103\u2105-\u2106\u2109\u2116\u2120-\u2122\u213B\u2150-\u217F\u2189'
    '\u2460-\u24EA\u2E9F\u2EF3-\u2FD5\u3038-\u303A\u3192-\u319F\u3200-\u3247\u3250-\u327E\u3280-\u33FF\uFDFC'
    '\U0001CCD6-\U0001CCEF\U0001F100-\U0001F10A\U0001F110-\U0001F12E\U0001F130-\U0001F14F\U0001F16A-\U0001F16C'
    '\U0001F190\U0001F200-\U0001F251]'
$$;

create or replace function readings_of(text text) returns text language plpgsql immutable parallel safe as $$
declare
  unseen constant text := '[\u00AD\u061C\u180E\u200C-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]+';
  symbols constant text := '[\u20A8\u2100-\u218F\u2460-\u24FF\u2600-\u27BF\u3200-\u33FF\uFDFC\U0001F000-\U0001FBFF]+';
  usual text;
begin
  if has_symbols(text) then usual := normalize(text, nfkc); end if;
  if text ~ unseen then text := text || E'\n' || regexp_replace(text, unseen, ' ', 'g'); end if;
  if text ~ symbols then text := text || E'\n' || regexp_replace(text, symbols, ' ', 'g'); end if;
  return concat_ws(E'\n', text, usual);
end $$;

update ticket_texts x set document = ticket_document(t.title, t.description)
from tickets t where t.id = x.ticket_id and has_symbols(t.title || t.description);
