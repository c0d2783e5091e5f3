import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { parseSearch } from "../../src/tickets/search_grammar.ts";
import { makeProject, makeTicket, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { phrasesIn, plainTexts, texts, wordsIn } from "./_search_texts.ts";

const TICKETS = 10_000;
const PAIRS = 2_000;
const STEP = 1_000;
const SEED = 20_261_125;

const harness = useHarness();
let project: TestProject;
let tickets: Text[];

interface Text {
  number: number;
  title: string;
  description: string;
}

/** A query, and the tickets for which it is tried. */
interface Trial {
  q: string;
  numbers: number[];
}

beforeAll(async () => {
  project = await makeProject(harness.now);
  tickets = fc.sample(texts, { numRuns: TICKETS, seed: SEED }).map((text, at) => ({
    ...text,
    number: at + 1,
  }));
  for (let from = 0; from < TICKETS; from += STEP) await fill(tickets.slice(from, from + STEP));
  await harness.now.sql.unsafe("vacuum analyze ticket_texts");
});

/** The triggers are off, because nobody reads these tickets' history. */
async function fill(texts: Text[]): Promise<void> {
  await harness.now.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
        actor_id, source, created_with)
      select gen_random_uuid(), ${project.id}::uuid, number, title, description, 'bug', 'low', false, 'user', 'u', 'portal',
        'session' from jsonb_to_recordset(${
      sql.json(texts as never)
    }) as t (number integer, title text, description text)`;
    await sql`
      insert into ticket_texts (ticket_id, project_id, document)
      select id, project_id, ticket_document(title, description) from tickets
      where project_id = ${project.id}::uuid and number between ${texts[0]!.number} and ${
      texts.at(-1)!.number
    }`;
  });
}

/** Answers for each trial which of its tickets the query's words find. */
async function answers(trials: readonly Trial[]): Promise<boolean[][]> {
  const found: boolean[][] = [];
  for (let from = 0; from < trials.length; from += STEP) {
    const some = trials.slice(from, from + STEP).map(({ q, numbers }, at) => ({
      at,
      numbers,
      words: wordsOf(q),
    }));
    const rows = await harness.now.sql<{ found: boolean[] }[]>`
      select array_agg(x.document || array_to_tsvector(array['#' || t.number]) @@ s.query order by n.place) as found
      from (
        select at, numbers, search_query(words) as query
        from jsonb_to_recordset(${
      harness.now.sql.json(some)
    }) as s (at integer, numbers integer[], words text) offset 0
      ) s
      cross join unnest(s.numbers) with ordinality as n (number, place)
      join tickets t on t.project_id = ${project.id}::uuid and t.number = n.number
      join ticket_texts x on x.ticket_id = t.id
      group by s.at order by s.at`;
    found.push(...rows.map((row) => row.found));
  }
  return found;
}

function wordsOf(q: string): string {
  const [first, ...others] = parseSearch(q, [project.key]).alternatives;
  if (others.length > 0 || first!.words === null) throw new Error(`${q} has no words alone`);
  return first!.words;
}

async function expectFound(trials: readonly Trial[]): Promise<void> {
  const missed = (await answers(trials)).flatMap((found, at) => found.every(Boolean) ? [] : [trials[at]!]);
  expect(missed.slice(0, 5).map(({ q, numbers }) => ({ q, text: tickets[numbers[0]! - 1] }))).toEqual([]);
}

const ownWords = ({ title, description }: Text) =>
  [title, description].flatMap(wordsIn).map(({ word }) => word);

test("every ticket is found by each of its own words, in quotes and without them", async () => {
  const trials = tickets.flatMap((text) =>
    [...new Set(ownWords(text))].slice(0, 5).map((word, index) => ({
      q: index % 2 === 0 ? word : `"${word}"`,
      numbers: [text.number],
    }))
  );
  expect(trials.length).toBeGreaterThan(3 * TICKETS);
  await expectFound(trials);
});

test("every ticket is found by the compatible forms of its words, and the forms by its words", async () => {
  const words = tickets.flatMap(({ number, title }) => {
    // A symbol such as ™ is a word of its own and, in the usual form, a part of the word beside it.
    const alone = wordsIn(title).filter(({ from, to }) =>
      !/\p{S}/u.test(title.slice(Math.max(0, from - 2), to + 2))
    );
    return alone.map(({ word }) => ({ word, number, words: wordsOf(`"${word}"`) }));
  });
  const { sql } = harness.now;
  // The database may know the forms of fewer characters than this process does.
  const forms = await sql<{ form: string; number: number; found: boolean }[]>`
    select form, number, ticket_document(form, '') @@ search_query(words) as found
    from jsonb_to_recordset(${sql.json(words)}) as w (word text, number integer, words text)
    cross join lateral (values (normalize(word, nfkc)), (normalize(word, nfkd))) as f (form) where form <> word`;
  expect(forms.length).toBeGreaterThan(TICKETS / 2);
  expect(forms.filter(({ found }) => !found).slice(0, 5)).toEqual([]);
  await expectFound(forms.map(({ form, number }) => ({ q: `"${form}"`, numbers: [number] })));
});

test("every ticket is found by its consecutive words in quotes", async () => {
  const trials = tickets.flatMap(({ number, title, description }) =>
    [title, description].flatMap(phrasesIn).map((phrase) => ({ q: `"${phrase}"`, numbers: [number] }))
  ).filter(({ q }) => [...q].length <= 200);
  expect(trials.length).toBeGreaterThan(TICKETS);
  await expectFound(trials);
});

test("every ticket is found by its ref, in either case", async () => {
  const { key } = project;
  await expectFound(
    tickets.flatMap(({ number }) =>
      [`${key}-${number}`, `"${key.toLowerCase()}-${number}"`].map((q) => ({ q, numbers: [number] }))
    ),
  );
});

test("and is commutative, or finds what each side finds, a hyphen finds nothing of what it excludes", async () => {
  const random = fc.sample(fc.array(fc.nat(TICKETS - 1), { minLength: 5, maxLength: 5 }), {
    numRuns: PAIRS,
    seed: SEED,
  });
  const groups = random.map(([one, other, ...others]) => {
    const [a, b] = [tickets[one!]!, tickets[other!]!].map(queryOf) as [string, string];
    const numbers = [...new Set([one!, other!, ...others])].map((at) => at + 1);
    return [a, b, `${a} ${b}`, `${b} ${a}`, `${a} or ${b}`, `${b} OR ${a}`, `-${a}`].map((q) => ({
      q,
      numbers,
    }));
  });
  const found = await answers(groups.flat());
  const wrong = groups.flatMap((group, at) => {
    const sides = found.slice(at * group.length, (at + 1) * group.length);
    const holds = group[0]!.numbers.every((_, n) => {
      const [a, b, ab, ba, aOrB, bOrA, notA] = sides.map((side) => side[n]) as boolean[];
      return ab === ba && aOrB === (a || b) && bOrA === aOrB && notA === !a;
    });
    return holds ? [] : [group.map(({ q }) => q)];
  });
  expect(wrong.slice(0, 5)).toEqual([]);
});

/** A word, a phrase or the ref of a ticket; `or` alone is no operand. */
function queryOf(text: Text): string {
  const words = ownWords(text);
  const word = words[text.number % words.length]!;
  const bare = /^or$/i.test(word) ? `"${word}"` : word;
  return [bare, `"${word}"`, `"${words[0]} ${word}"`, `${project.key}-${text.number}`][text.number % 4]!;
}

test("a text in Latin, Greek or Cyrillic letters has the words that it has beside another script", async () => {
  const made = fc.sample(plainTexts, { numRuns: TICKETS, seed: SEED });
  const rows = await harness.now.sql<{ text: string }[]>`
    select text from unnest(${made}::text[]) as text
    where coalesce(indexed_words(text), '') <> ts_delete(indexed_words(text || ' 𓀀'), '𓀀')`;
  expect(rows.slice(0, 5)).toEqual([]);
});

test("the list answers so", async () => {
  const made = await makeProject(harness.now);
  for (const { title, description } of tickets.slice(0, 40)) {
    const line = title.replace(/[\p{Cc}\u2028\u2029\u202d\u202e]/gu, " ");
    await makeTicket(harness.now, made, { title: line, description });
  }
  const list = async (q: string): Promise<number[]> => {
    const path = `${made.path}/tickets?limit=200&q=${encodeURIComponent(q)}`;
    const { status, body } = await harness.now.call("GET", path, { token: made.admin.token });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.tickets.map((ticket: Text) => ticket.number);
  };
  for (const text of tickets.slice(0, 40)) {
    for (const word of ownWords(text).slice(0, 3)) {
      expect(await list(word), word).toContain(text.number);
      expect(await list(`-${word}`), `-${word}`).not.toContain(text.number);
    }
    expect(await list(`${made.key}-${text.number}`)).toContain(text.number);
  }
});
