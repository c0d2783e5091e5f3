-- The words of a ticket and the words of a query come from the same functions. Letters, marks, digits and emoji make
-- words, and everything else parts them. PostgreSQL's own parser takes &nbsp; for an entity, germany-dev-east for one
-- whole and -3 for a number below zero, and PGlite and a server disagree about which characters are letters.

-- Words are stemmed as English, and stop words stay in the index, so that "it is what it is" can be found.
create text search dictionary word_stem (template = snowball, language = english);
create text search configuration word_stems (copy = english);
alter text search configuration word_stems alter mapping replace english_stem with word_stem;
alter text search configuration word_stems alter mapping replace simple with word_stem;

-- The words of a text in small letters, with one blank between them. Compatible forms become one form (NFKC), case is
-- folded, and the four letters i of Turkish become one. A symbol such as ™ or ① is a word of its own; invisible
-- characters are dropped. In scripts that put no blanks between words each letter becomes a word, so a search looks
-- for a phrase of them. The parser takes digits, e, digits for a number in any word that begins so, such as 12e5abc,
-- and ends the word there; so does this function. The ranges follow the categories of Unicode 17; unassigned
-- characters part words.
create function words_of(text text) returns text language plpgsql immutable parallel safe as $$
declare
  ignored constant text := ''
    '\u00AD\u034F\u061C\u115F-\u1160\u17B4-\u17B5\u180B-\u180F\u200C-\u200F\u202A-\u202E'
    '\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\U0001BCA0-\U0001BCA3'
    '\U0001D173-\U0001D17A\U000E0000-\U000E0FFF';
  symbols constant text := ''
    '\u00BC-\u00BE\u20A8\u2100-\u2101\u2103\u2105-\u2106\u2109\u2116\u2120-\u2122\u213B'
    '\u2150-\u217F\u2189\u2460-\u24EA\u2E9F\u2EF3-\u2FD5\u3038-\u303A\u3192-\u319F\u3200-\u3247'
    '\u3250-\u327E\u3280-\u33FF\uFDFC\U0001CCD6-\U0001CCEF\U0001F100-\U0001F10A'
    '\U0001F110-\U0001F12E\U0001F130-\U0001F14F\U0001F16A-\U0001F16C\U0001F190'
    '\U0001F200-\U0001F251';
  emoji constant text := '\u2600-\u27BF\U0001F000-\U0001FBFF';
  separators constant text := ''
    '\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00A9\u00AB-\u00AC\u00AE-\u00B1\u00B4'
    '\u00B6-\u00B8\u00BB\u00BF\u00D7\u00F7\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02EB\u02ED'
    '\u02EF-\u02FF\u0375\u037E\u0384-\u0385\u0387\u03F6\u0482\u055A-\u055F\u0589-\u058F\u05BE'
    '\u05C0\u05C3\u05C6\u05F3-\u060F\u061B\u061D-\u061F\u066A-\u066D\u06D4\u06DD-\u06DE\u06E9'
    '\u06FD-\u06FE\u0700-\u070F\u07F6-\u07F9\u07FE-\u07FF\u0830-\u083E\u085E\u0888\u0890-\u0891'
    '\u08E2\u0964-\u0965\u0970\u09F2-\u09F3\u09FA-\u09FB\u09FD\u0A76\u0AF0-\u0AF1\u0B70'
    '\u0BF3-\u0BFA\u0C77\u0C7F\u0C84\u0D4F\u0D79\u0DF4\u0E3F\u0E4F\u0E5A-\u0E80\u0EE0-\u0EFF'
    '\u0F01-\u0F17\u0F1A-\u0F1F\u0F34\u0F36\u0F38\u0F3A-\u0F3D\u0F85\u0FBE-\u0FC5\u0FC7-\u0FFF'
    '\u104A-\u104F\u109E-\u109F\u10FB\u1360-\u1368\u1390-\u1399\u1400\u166D-\u166E\u1680'
    '\u169B-\u169C\u16EB-\u16ED\u1735-\u1736\u17D4-\u17D6\u17D8-\u17DB\u1800-\u180A\u1940-\u1945'
    '\u19DE-\u19FF\u1A1E-\u1A1F\u1AA0-\u1AA6\u1AA8-\u1AAD\u1ACF-\u1AFF\u1B4E-\u1B4F\u1B5A-\u1B6A'
    '\u1B74-\u1B7F\u1BFC-\u1BFF\u1C3B-\u1C3F\u1C7E-\u1C7F\u1CC0-\u1CC7\u1CD3\u1FBD\u1FBF-\u1FC1'
    '\u1FCD-\u1FCF\u1FDD-\u1FDF\u1FED-\u1FEF\u1FFD-\u200B\u2010-\u2029\u202F-\u205F\u207A-\u207E'
    '\u208A-\u208E\u20A0-\u20A7\u20A9-\u20F0\u2104\u2108\u2114\u2117-\u2118\u211E-\u211F\u2123'
    '\u2125\u2127\u2129\u212E\u213A\u2140-\u2144\u214A-\u214D\u214F\u218A-\u245F\u2500-\u25FF'
    '\u2768-\u2775\u27C0-\u2BFF\u2CE5-\u2CEA\u2CF9-\u2CFC\u2CFE-\u2CFF\u2D70\u2E00-\u2E2E'
    '\u2E30-\u2E9E\u2EA0-\u2EF2\u2FD6-\u3004\u3008-\u3020\u3030\u3036-\u3037\u303D-\u303F'
    '\u309B-\u309C\u30A0\u30FB\u3190-\u3191\u31C0-\u31EF\u327F\u4DC0-\u4DFF\uA490-\uA4C6'
    '\uA4FE-\uA4FF\uA60D-\uA60F\uA62C-\uA63F\uA673\uA67E\uA6F2-\uA716\uA720-\uA721\uA789-\uA78A'
    '\uA7DD-\uA7F1\uA828-\uA82B\uA836-\uA839\uA874-\uA877\uA8CE-\uA8CF\uA8F8-\uA8FA\uA8FC'
    '\uA92E-\uA92F\uA95F\uA9C1-\uA9CD\uA9DE-\uA9DF\uAA5C-\uAA5F\uAA77-\uAA79\uAAC3-\uAADA'
    '\uAADE-\uAADF\uAAF0-\uAAF1\uAB5B\uAB6A-\uAB6B\uABEB\uE000-\uF8FF\uFADA-\uFAFF\uFB29'
    '\uFBB2-\uFBD2\uFD3E-\uFD4F\uFDCF-\uFDEF\uFDFD-\uFDFF\uFE10-\uFE19\uFE30-\uFE6B\uFF01-\uFF0F'
    '\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFE0-\uFFFD\U0001005E-\U0001007F'
    '\U00010100-\U00010102\U00010137-\U0001013F\U00010179-\U00010189\U0001018C-\U000101FC'
    '\U000101FE-\U0001027F\U0001039F\U000103D0\U000103D6-\U000103FF\U0001056F'
    '\U00010768-\U0001077F\U000107BB-\U000107FF\U00010857\U00010877-\U00010878'
    '\U000108B0-\U000108DF\U0001091F\U0001093F-\U0001097F\U00010A50-\U00010A58\U00010A7F'
    '\U00010AA0-\U00010ABF\U00010AC8\U00010AF0-\U00010AF6\U00010B39-\U00010B3F'
    '\U00010B99-\U00010B9C\U00010BB0-\U00010BFF\U00010C49-\U00010C7F\U00010D6E'
    '\U00010D8E-\U00010E5F\U00010EAD\U00010EB2-\U00010EC1\U00010EC5-\U00010EFB'
    '\U00010F55-\U00010F6F\U00010F86-\U00010FAF\U00010FCC-\U00010FDF\U00011047-\U0001104D'
    '\U000110BB-\U000110C1\U000110CD\U00011140-\U00011143\U00011174-\U00011175'
    '\U000111C5-\U000111C8\U000111CD\U000111DB\U000111DD-\U000111DF\U00011238-\U0001123D'
    '\U00011242-\U0001127F\U000112A9\U000113D4-\U000113D8\U000113E3-\U000113FF'
    '\U0001144B-\U0001144F\U0001145A-\U0001145D\U00011462-\U0001147F\U000114C6'
    '\U000114DA-\U0001157F\U000115C1-\U000115D7\U000115DE-\U000115FF\U00011641-\U00011643'
    '\U00011660-\U0001167F\U000116B9\U000116E4-\U000116FF\U0001173C-\U0001173F'
    '\U00011747-\U000117FF\U0001183B-\U0001189F\U00011944-\U00011946\U0001195A-\U0001199F'
    '\U000119E2\U000119E5-\U000119FF\U00011A3F-\U00011A46\U00011A9A-\U00011A9C'
    '\U00011A9E-\U00011AA2\U00011B00-\U00011BBF\U00011BE1\U00011C41-\U00011C45'
    '\U00011C70-\U00011C71\U00011CB7-\U00011CFF\U00011DAA-\U00011EDF\U00011EF7-\U00011EF8'
    '\U00011F43-\U00011F4F\U00011F5B-\U00011FAF\U00011FD5-\U00011FFF\U0001239A-\U000123FF'
    '\U00012470-\U00012474\U00012544-\U00012F8F\U00012FF1-\U00012FF2\U00013430-\U0001343F'
    '\U00014647-\U000160FF\U0001613A-\U000167FF\U00016A6E-\U00016A6F\U00016AF5'
    '\U00016B37-\U00016B3F\U00016B44-\U00016B45\U00016B90-\U00016D3F\U00016D6D-\U00016D6F'
    '\U00016D7A-\U00016E3F\U00016E97-\U00016EFF\U00016FA0-\U00016FDF\U00016FE2'
    '\U00018CD6-\U00018CFE\U00018D09-\U0001AFEF\U0001B133-\U0001B14F\U0001B2FC-\U0001BBFF'
    '\U0001BC9C\U0001BC9F\U0001BCA4-\U0001CCD5\U0001CD00-\U0001CEFF\U0001CF50-\U0001D164'
    '\U0001D16A-\U0001D16C\U0001D183-\U0001D184\U0001D18C-\U0001D1A9\U0001D1AE-\U0001D241'
    '\U0001D245-\U0001D2BF\U0001D300-\U0001D356\U0001D379-\U0001D3FF\U0001D6C1\U0001D6DB'
    '\U0001D6FB\U0001D715\U0001D735\U0001D74F\U0001D76F\U0001D789\U0001D7A9\U0001D7C3'
    '\U0001D800-\U0001D9FF\U0001DA37-\U0001DA3A\U0001DA6D-\U0001DA74\U0001DA76-\U0001DA83'
    '\U0001DA85-\U0001DA8B\U0001DAB0-\U0001DEFF\U0001DF2B-\U0001DFFF\U0001E06E-\U0001E08E'
    '\U0001E090-\U0001E0FF\U0001E14F-\U0001E28F\U0001E2AF-\U0001E2BF\U0001E2FF-\U0001E4CF'
    '\U0001E4FA-\U0001E5CF\U0001E5FF-\U0001E7DF\U0001E8D7-\U0001E8FF\U0001E95E-\U0001EC70'
    '\U0001ECAC\U0001ECB0\U0001ECB5-\U0001ED00\U0001ED2E\U0001ED3E-\U0001EDFF'
    '\U0001EEBC-\U0001EFFF\U0001FC00-\U0001FFFF\U0003FFFE-\U000DFFFF\U000E1000-\U0010FFFF';
  marks constant text := ''
    '\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1-\u05C2\u05C4-\u05C5\u05C7\u0610-\u061A'
    '\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7-\u06E8\u06EA-\u06ED\u0711\u0730-\u074A'
    '\u07A6-\u07B0\u07EB-\u07F3\u07FD\u0816-\u0819\u081B-\u0823\u0825-\u0827\u0829-\u082D'
    '\u0859-\u085B\u0897-\u089F\u08CA-\u08E1\u08E3-\u0903\u093A-\u093C\u093E-\u094F\u0951-\u0957'
    '\u0962-\u0963\u0981-\u0983\u09BC\u09BE-\u09CD\u09D7\u09E2-\u09E3\u09FE-\u0A03\u0A3C-\u0A51'
    '\u0A70-\u0A71\u0A75\u0A81-\u0A83\u0ABC\u0ABE-\u0ACD\u0AE2-\u0AE3\u0AFA-\u0B03\u0B3C'
    '\u0B3E-\u0B57\u0B62-\u0B63\u0B82\u0BBE-\u0BCD\u0BD7\u0C00-\u0C04\u0C3C\u0C3E-\u0C56'
    '\u0C62-\u0C63\u0C81-\u0C83\u0CBC\u0CBE-\u0CD6\u0CE2-\u0CE3\u0CF3-\u0D03\u0D3B-\u0D3C'
    '\u0D3E-\u0D4D\u0D57\u0D62-\u0D63\u0D81-\u0D83\u0DCA-\u0DDF\u0DF2-\u0DF3\u0E31\u0E34-\u0E3A'
    '\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECE\u0F18-\u0F19\u0F35\u0F37\u0F39\u0F3E-\u0F3F'
    '\u0F71-\u0F84\u0F86-\u0F87\u0F8D-\u0FBC\u0FC6\u102B-\u103E\u1056-\u1059\u105E-\u1060'
    '\u1062-\u1064\u1067-\u106D\u1071-\u1074\u1082-\u108D\u108F\u109A-\u109D\u135D-\u135F'
    '\u1712-\u1715\u1732-\u1734\u1752-\u1753\u1772-\u1773\u17B6-\u17D3\u17DD\u1885-\u1886\u18A9'
    '\u1920-\u193B\u1A17-\u1A1B\u1A55-\u1A7F\u1AB0-\u1B04\u1B34-\u1B44\u1B6B-\u1B73\u1B80-\u1B82'
    '\u1BA1-\u1BAD\u1BE6-\u1BF3\u1C24-\u1C37\u1CD0-\u1CD2\u1CD4-\u1CE8\u1CED\u1CF4\u1CF7-\u1CF9'
    '\u1DC0-\u1DFF\u2CEF-\u2CF1\u2D7F\u2DE0-\u2DFF\u302A-\u302F\u3099-\u309A\uA66F-\uA672'
    '\uA674-\uA67D\uA69E-\uA69F\uA6F0-\uA6F1\uA802\uA806\uA80B\uA823-\uA827\uA82C\uA880-\uA881'
    '\uA8B4-\uA8C5\uA8E0-\uA8F1\uA8FF\uA926-\uA92D\uA947-\uA953\uA980-\uA983\uA9B3-\uA9C0\uA9E5'
    '\uAA29-\uAA36\uAA43\uAA4C-\uAA4D\uAA7B-\uAA7D\uAAB0\uAAB2-\uAAB4\uAAB7-\uAAB8\uAABE-\uAABF'
    '\uAAC1\uAAEB-\uAAEF\uAAF5-\uAAF6\uABE3-\uABEA\uABEC-\uABED\uFB1E\uFE20-\uFE2F\U000101FD'
    '\U000102E0\U00010376-\U0001037A\U00010A01-\U00010A0F\U00010A38-\U00010A3F'
    '\U00010AE5-\U00010AE6\U00010D24-\U00010D27\U00010D69-\U00010D6D\U00010EAB-\U00010EAC'
    '\U00010EFC-\U00010EFF\U00010F46-\U00010F50\U00010F82-\U00010F85\U00011000-\U00011002'
    '\U00011038-\U00011046\U00011070\U00011073-\U00011074\U0001107F-\U00011082'
    '\U000110B0-\U000110BA\U000110C2\U00011100-\U00011102\U00011127-\U00011134'
    '\U00011145-\U00011146\U00011173\U00011180-\U00011182\U000111B3-\U000111C0'
    '\U000111C9-\U000111CC\U000111CE-\U000111CF\U0001122C-\U00011237\U0001123E\U00011241'
    '\U000112DF-\U000112EA\U00011300-\U00011303\U0001133B-\U0001133C\U0001133E-\U0001134D'
    '\U00011357\U00011362-\U00011374\U000113B8-\U000113D0\U000113D2\U000113E1-\U000113E2'
    '\U00011435-\U00011446\U0001145E\U000114B0-\U000114C3\U000115AF-\U000115C0'
    '\U000115DC-\U000115DD\U00011630-\U00011640\U000116AB-\U000116B7\U0001171D-\U0001172B'
    '\U0001182C-\U0001183A\U00011930-\U0001193E\U00011940\U00011942-\U00011943'
    '\U000119D1-\U000119E0\U000119E4\U00011A01-\U00011A0A\U00011A33-\U00011A39'
    '\U00011A3B-\U00011A3E\U00011A47\U00011A51-\U00011A5B\U00011A8A-\U00011A99'
    '\U00011C2F-\U00011C3F\U00011C92-\U00011CB6\U00011D31-\U00011D45\U00011D47'
    '\U00011D8A-\U00011D97\U00011EF3-\U00011EF6\U00011F00-\U00011F01\U00011F03'
    '\U00011F34-\U00011F42\U00011F5A\U00013440\U00013447-\U00013455\U0001611E-\U0001612F'
    '\U00016AF0-\U00016AF4\U00016B30-\U00016B36\U00016F4F\U00016F51-\U00016F92'
    '\U00016FE4-\U00016FF1\U0001BC9D-\U0001BC9E\U0001CF00-\U0001CF46\U0001D165-\U0001D169'
    '\U0001D16D-\U0001D182\U0001D185-\U0001D18B\U0001D1AA-\U0001D1AD\U0001D242-\U0001D244'
    '\U0001DA00-\U0001DA36\U0001DA3B-\U0001DA6C\U0001DA75\U0001DA84\U0001DA9B-\U0001DAAF'
    '\U0001E000-\U0001E02A\U0001E08F\U0001E130-\U0001E136\U0001E2AE\U0001E2EC-\U0001E2EF'
    '\U0001E4EC-\U0001E4EF\U0001E5EE-\U0001E5EF\U0001E8D0-\U0001E8D6\U0001E944-\U0001E94A';
  unspaced constant text := '\u0E00-\u0EFF\u1000-\u109F\u1100-\u11FF\u1780-\u17FF\u1950-\u19FF\u1A20-\u1AAF'
    '\u2E80-\u2FDF\u3005-\u3007\u3021-\u302F\u3031-\uA4CF\uA960-\uA97F\uA980-\uA9FF\uAA60-\uAADF\uAC00-\uD7FF'
    '\uF900-\uFAFF\U00016FE0-\U0001B2FF\U00020000-\U0003FFFF';
begin
  text := regexp_replace(text, '[' || ignored || ']+', '', 'g');
  text := regexp_replace(text, '([' || symbols || emoji || '])', ' \1 ', 'g');
  text := translate(normalize(text, nfkc), 'İı', 'ii');
  text := replace(normalize(lower(text), nfkc), U&'i\0307', 'i');
  text := replace(replace(text, 'ß', 'ss'), 'ς', 'σ');
  text := regexp_replace(text, '[' || separators || ']+', ' ', 'g');
  -- A mark belongs to the letter before it. NFKC makes marks without a letter of ´ and ¨.
  text := regexp_replace(text, '(^| )([' || marks || ']+ ?)+', ' ', 'g');
  text := regexp_replace(text, '([' || unspaced || '])', ' \1 ', 'g');
  text := replace(replace(text, '  ', ' '), '  ', ' ');
  return btrim(regexp_replace(text, '(^| )([0-9]+e[0-9]+)(?=[^ 0-9])', '\1\2 ', 'g'));
end $$;

create function word_lexeme(word text) returns text language sql immutable parallel safe
return case when length(word) = 1 then word else (ts_lexize('word_stem', word))[1] end;

-- The text in each way that people read it. A soft hyphen or another invisible character may also part words, and a
-- symbol or an emoji may stand between two words of a phrase.
create function readings_of(text text) returns text language plpgsql immutable parallel safe as $$
declare
  unseen constant text := '[\u00AD\u061C\u180E\u200C-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]+';
  symbols constant text := '[\u20A8\u2100-\u218F\u2460-\u24FF\u2600-\u27BF\u3200-\u33FF\uFDFC\U0001F000-\U0001FBFF]+';
begin
  if text ~ unseen then text := text || E'\n' || regexp_replace(text, unseen, ' ', 'g'); end if;
  if text ~ symbols then text := text || E'\n' || regexp_replace(text, symbols, ' ', 'g'); end if;
  return text;
end $$;

-- The words of a text with their places. PostgreSQL's parser finds the same words as words_of in a third of the time
-- where a text has only Latin, Greek and Cyrillic letters and the signs that begin an address, a path, an entity, a
-- tag or a signed number have become blanks.
create function indexed_words(text text) returns tsvector language plpgsql immutable parallel safe as $$
begin
  if text !~ '[^\u0001-\u007F\u00A0-\u00A7\u00A9\u00AB\u00AC\u00AE\u00B0\u00B1\u00B6\u00B7\u00BB\u00BF-\u012F\u0134-\u013E'
    '\u0141-\u0148\u014A-\u017E\u0391-\u03A9\u03AC-\u03C1\u03C3-\u03CE\u0400-\u045F\u2010-\u2016\u2018-\u2027\u2039\u203A'
    '\u20AC\u2190-\u2193]' then
    return to_tsvector('word_stems', replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
      text, '.', ' '), '/', ' '), '<', ' '), '_', ' '), '@', ' '), '~', ' '), '-', ' '), '&', ' '), '+', ' '), 'ß', 'ss'));
  end if;
  -- The parser leaves out words that are too long for an index, too.
  return (
    select string_agg('''' || word_lexeme(word) || ''':' || place, ' ')
    from string_to_table(words_of(readings_of(text)), ' ') with ordinality as words (word, place)
    where octet_length(word) between 1 and 2046
  )::tsvector;
end $$;

create or replace function ticket_document(title text, description text) returns tsvector language sql immutable
parallel safe
return coalesce(indexed_words(title || E'\n' || description), '');

-- The query for a text's words in their order. A number also finds the number with a v before it, and v2.10.0 also
-- finds 2.10.0. For a text without words the query is #, which no document has.
create function phrase_of(text text) returns text language plpgsql immutable parallel safe as $$
declare
  words text[] := string_to_array(words_of(text), ' ');
  word text;
  phrase text;
begin
  foreach word in array words loop
    phrase := concat(phrase || ' <-> ', case
      when word ~ '^[0-9]+$' then format('(''%s'' | ''v%1$s'')', word)
      when word ~ '^v[0-9]+$' and cardinality(words) > 1 then format('(''%s'' | ''%s'')', word, substr(word, 2))
      else format('''%s''', word_lexeme(word)) end);
  end loop;
  return coalesce('(' || phrase || ')', '#');
end $$;

-- The query that src/tickets/search_grammar.ts writes: PostgreSQL's own form, with texts between quotes in place of
-- lexemes.
create function search_query(text text) returns tsquery language plpgsql immutable parallel safe as $$
declare
  parts text[] := string_to_array(text, '''');
begin
  for place in 2 .. cardinality(parts) by 2 loop
    parts[place] := phrase_of(parts[place]);
  end loop;
  return array_to_string(parts, '')::tsquery;
end $$;

drop function searched_text(text);

-- Rows that are written again leave no dead rows behind, and an index that is built afterwards takes half of the
-- time.
drop index ticket_texts_document_idx;
truncate ticket_texts;
insert into ticket_texts (ticket_id, project_id, document)
select id, project_id, ticket_document(title, description) from tickets;
create index ticket_texts_document_idx on ticket_texts using gin (document);
