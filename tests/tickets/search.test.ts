import { beforeAll, describe, expect, test } from "vitest";
import { STOP_WORDS } from "../../src/tickets/stop_words.ts";
import { bestTimes } from "../best_times.ts";
import { makeProject, makeTicket, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
let project: TestProject;

beforeAll(async () => {
  project = await makeProject(harness.now);
});

async function refs(words: string, of = project): Promise<string[]> {
  const { status, body } = await harness.now.call(
    "GET",
    `${of.path}/tickets?q=${encodeURIComponent(words)}&limit=200`,
    { token: of.admin.token },
  );
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.tickets.map(({ ticket_ref }: { ticket_ref: string }) => ticket_ref);
}

test.each([
  {
    script: "Japanese",
    title: "ログイン設定画面のAPIテスト、結果が空になる",
    found: [
      "設定",
      "画面",
      "ログイン",
      "APIテスト",
      "api",
      "ＡＰＩ",
      "結果 ログイン",
      '"結果が空"',
      "設定 -検索",
    ],
    not: ["定設", "設画", "設定 -画面", "検索"],
  },
  {
    script: "Chinese",
    title: "用户无法登录，请看支付页面的错误",
    found: ["登录", "支付页面", "无法登录", "错误 用户"],
    not: ["录登", "用户登录"],
  },
  { script: "Korean", title: "서버가 다운되었습니다", found: ["서버", "다운", "서버가"], not: ["가서"] },
  { script: "Thai", title: "หน้าเข้าสู่ระบบไม่ทำงาน", found: ["ระบบ", "เข้าสู่ระบบ"], not: ["บบระ"] },
  {
    script: "Latin",
    title: "Cafe\u0301 Größe fehlt in “Übersicht”…",
    found: ["café", "größe", "übersicht"],
    not: ["caf"],
  },
])("words are found in $script", async ({ title, found, not }) => {
  const { ref } = await makeTicket(harness.now, project, { title });
  for (const words of found) expect(await refs(words), words).toEqual([ref]);
  for (const words of not) expect(await refs(words), words).toEqual([]);
});

test("a ref between letters without blanks is one", async () => {
  const { ref } = await makeTicket(harness.now, project, { title: "支付页面的错误很多" });
  expect(await refs(`请看${ref}`)).toEqual([]);
  expect(await refs(`错误${ref}页面`)).toEqual([ref]);
});

test.each([
  { title: "Договор №1234 не открывается", found: ["1234", "№1234", "№ 1234"] },
  { title: "①login画面 ②設定 ５m² 30℃", found: ["login", "①login", "5m²", "30"] },
  { title: "1️⃣Login fails™ for ﾛｸﾞｲﾝ", found: ["login", "fails", "ﾛｸﾞｲﾝ"] },
  {
    title: "\u202aC:\\logs\u202c of log\u200bstash\ufeff, صفحة\u200f الدخول",
    found: ["logs", "stash", "صفحة"],
  },
  { title: "Meeting at nine UTC+9, room −3", found: ["9", "+9", "UTC+9", "3"] },
])("symbols and what nobody sees keep no word from being found: $title", async ({ title, found }) => {
  const { ref } = await makeTicket(harness.now, project, { title });
  for (const words of found) {
    expect(await refs(words), words).toContain(ref);
  }
  expect(await refs(title)).toEqual([ref]);
});

test("quotes may be left open", async () => {
  const { ref } = await makeTicket(harness.now, project, { title: "検索の結果が多い, last page is empty" });
  for (const words of ['"結果が多い', '多い "last page']) expect(await refs(words), words).toEqual([ref]);
  for (const words of ['"多い結果', '"page last']) expect(await refs(words), words).toEqual([]);
});

test.each(["－", "﹣", "-", "－ ", '＂－"'])("a row of %s behind a quote is no error", async (mark) => {
  for (const quote of ['"', "＂", ""]) {
    for (const words of [`${quote}${mark.repeat(60)}`, `${mark.repeat(60)}${quote}x`]) await refs(words);
  }
});

test("the words of names with marks in them are found one by one and together", async () => {
  const { ref } = await makeTicket(harness.now, project, {
    title: "The column max_pool_size of alpha~beta is lost for bob@corp",
  });
  for (
    const words of ["pool", "max_pool_size", "pool_size", "beta", "alpha~beta", "~beta", "bob@corp", "corp"]
  ) {
    expect(await refs(words), words).toEqual([ref]);
  }
  expect(await refs("size_pool")).toEqual([]);
});

test.each([
  {
    title: "The germany-dev-east cluster of node-18-beta is down",
    found: [
      "dev-east",
      "germany-dev",
      "germany-dev-east",
      '"dev-east"',
      '"germany dev" node',
      "dev east",
      "18-beta",
      "node-18",
      "DEV-EAST",
      "(dev-east)",
      "dev‑east",
    ],
    not: ["east-dev", '"germany east"', "germany-east", "dev-eas"],
  },
  {
    title: "X-Forwarded-For is lost behind @scope/my-lib",
    found: [
      "X-Forwarded",
      "forwarded-for",
      "@scope/my-lib",
      "scope/my",
      "@scope",
      "my-lib",
      "lib",
      '"@scope/my-lib"',
    ],
    not: ["my-scope", "for-forwarded"],
  },
  {
    title: "R&D: The &nbsp; shows in <b>names</b>, &#39;too&#39; at https://example.org/a?b=c&d=e#f",
    found: ["nbsp", "&nbsp;", "b names", "39", "R&D", "example.org", "b=c", "d=e", '"b=c&d=e"', "a?b"],
    not: ["&nbps;", "R&E"],
  },
  {
    title: "It is what it is, or to be at AT&T",
    found: ["It is what it is", "to be", '"it is what"', "AT&T", "at&t", "is", "what it", "or", '"or"', "OR"],
    not: ['"what is it"', "T&AT", "not"],
  },
  {
    title: "ﾛｸﾞｲﾝ of ﬁles ５µs late in ㎏, Ⅳ, H₂O and ｃａｆé",
    found: [
      "ログイン",
      "ロク\u3099イン",
      "ﾛｸﾞｲﾝ",
      "files",
      "5μs",
      "5µs",
      "kg",
      "iv",
      "h2o",
      "café",
      "CAFE\u0301",
    ],
    not: ["ロクイン", "cafe"],
  },
  {
    title: "A 5㎏ bag over 10㎞² at Ⅳ½, ①login, ㍿社 and K2㎝",
    found: [
      "5kg",
      "５ｋｇ",
      "5㎏",
      "㎏",
      "kg",
      '"5kg bag"',
      '"5㎏ bag"',
      "10km2",
      "10㎞²",
      "1login",
      "①login",
      "login",
      "株式会社社",
      "K2cm",
      "K2㎝",
    ],
    not: ["5g", '"5kg over"', "kg5"],
  },
  {
    title: "A 7kg bag over 20km2 and 2login",
    found: ["7㎏", '"7㎏ bag"', "20㎞²", "20㎞2", "②login", '"20㎢"'],
    not: ["7㎎", '"㎏ 7"'],
  },
  {
    title: "Straße in İSTANBUL and ISPARTA, ΟΔΟΣ, Ǆ and ĲSSEL",
    found: [
      "strasse",
      "STRASSE",
      "straẞe",
      "istanbul",
      "İstanbul",
      "ısparta",
      "οδος",
      "οδοσ",
      "ǆ",
      "dž",
      "ĳssel",
    ],
    not: ["strase"],
  },
  {
    title: "Upgrade to v2.10.0 of api v3 fails from 1.9.3-rc1",
    found: [
      "2.10.0",
      "v2.10.0",
      "V2.10",
      "2.10",
      "v1.9.3",
      "1.9.3",
      "rc1",
      "1.9.3-rc1",
      "v3",
      "3",
      '"v2.10.0"',
    ],
    not: ["2.1", "2.10.1", "v4"],
  },
  {
    title: "🔥 Login fails 👍🏽 at -3 °C, -> e-mail, C++ != 12e5abc",
    found: ["🔥", "🔥 login", "👍", "👍🏽", "3", "->", "->  !=", "12e5abc", '"!="', "++", "°", "c++", "e-mail"],
    not: ["🐛", "=>", "-> =>", "->!="],
  },
  {
    title: "می\u200cخواهم soft\u00adware שָׁלוֹם हिन्दी q̃x",
    found: ["میخواهم", "می\u200cخواهم", "software", "soft\u00adware", "שָׁלוֹם", "हिन्दी", "q̃x", "Q̃X"],
    not: ["qx", "softw"],
  },
])("words are found in every form: $title", async ({ title, found, not }) => {
  const { ref } = await makeTicket(harness.now, project, { title });
  for (const words of found) expect(await refs(words), words).toContain(ref);
  for (const words of not) expect(await refs(words), words).not.toContain(ref);
  for (const words of found) {
    // A symbol behind a hyphen is an arrow or a rule.
    if (/[\p{L}\p{N}"]|\p{Emoji}/u.test(words) && !/\s| or |^or$/iu.test(words.replace(/".*?"/g, ""))) {
      expect(await refs(`-${words}`), `-${words}`).not.toContain(ref);
    }
  }
});

describe("a ref", () => {
  let owned: TestProject;
  let first: string, second: string, mentioning: string;

  beforeAll(async () => {
    owned = await makeProject(harness.now);
    const make = (title: string, description = "A slow answer to everybody") =>
      makeTicket(harness.now, owned, { title, description });
    first = (await make("The first one, slow")).ref;
    second = (await make("The second one, slow")).ref;
    mentioning = (await make("The third one", `Comes after ${first.toLowerCase()} was closed`)).ref;
  });

  const found = (words: string) => refs(words, owned).then((list) => list.sort());

  test("is a word of its own ticket under every operator", async () => {
    const [all, others] = [[first, second, mentioning], [second, mentioning]];
    const expected: Record<string, string[]> = {
      [first]: [first, mentioning],
      [first.toLowerCase()]: [first, mentioning],
      [`"${first}"`]: [first, mentioning],
      [`${first} or ${second}`]: all,
      [`${second} OR ${first}`]: all,
      [`slow ${first}`]: [first],
      [`${first} slow`]: [first],
      [`slow -${second}`]: [first],
      [`-${first}`]: [second],
      [`-"${first}"`]: [second],
      [`one -${second.toLowerCase()}`]: [first, mentioning],
      [`${first} ${second}`]: [],
      [`${second} ${first}`]: [],
      [`${first} ${mentioning}`]: [mentioning],
      [`${mentioning} ${first}`]: [mentioning],
      [`${mentioning},${first}`]: [mentioning],
      [`(${first})`]: [first, mentioning],
      [`${first}.`]: [first, mentioning],
      [first.replace("-", "\u2011")]: [first, mentioning],
      [`slow -${second.replace("-", "\u2010").toLowerCase()}`]: [first],
      [first.replace("-", "－")]: [first, mentioning],
      [`${first}\u2011login`]: [],
      [`"comes after ${first}"`]: [mentioning],
      [`third or ${second}`]: others,
      [`${second} or zebra`]: [second],
      [`zebra or ${second} slow`]: [second],
      [`${first}0`]: [],
      [`0${first}`]: [],
      [`feature/${first}-login`]: [],
      [`${first}.5`]: [],
    };
    for (const [words, tickets] of Object.entries(expected)) {
      expect(await found(words), words).toEqual(tickets);
    }
  });

  test("may have any key that the project had", async () => {
    const key = `N${owned.key}`.slice(0, 10);
    const { status } = await harness.now.call("PATCH", owned.path, {
      token: owned.admin.token,
      body: { key },
    });
    expect(status).toBe(200);
    const today = (ref: string) => `${key}${ref.slice(ref.indexOf("-"))}`;
    const mentions = [first, mentioning].map(today);
    for (const words of [first, today(first), `"${first.toLowerCase()}"`, `one ${first}`]) {
      expect(await found(words), words).toEqual(mentions);
    }
    expect(await found(`one -${first}`)).toEqual([today(second)]);
  });
});

test("operators alone are looked for as they stand", async () => {
  const { ref } = await makeTicket(harness.now, project, {
    title: 'The - key and the " key',
    description: "They say \u201c\u201d and \u2014 and ... as marks",
  });
  for (const words of ["-", '"', "\u2014", "...", "\u201c", "- \u2014", "- ".repeat(99), "zebra123 or ..."]) {
    expect(await refs(words), words).toContain(ref);
  }
  for (const words of ["--", '""', "....", "- zebra123", 'key -"..."', '-"-"']) {
    expect(await refs(words), words).not.toContain(ref);
  }
  expect(await refs("   ")).toContain(ref);
});

test("stop words beside other words are left out, where they don't stand in a phrase", async () => {
  const { ref } = await makeTicket(harness.now, project, { title: "Zeppelin page slow" });
  for (const words of ["the zeppelin page is slow", "Why is (the) zeppelin page slow?", "it's zeppelin"]) {
    expect(await refs(words), words).toEqual([ref]);
  }
  for (const words of ['"the zeppelin"', "nor", "-zeppelin", "AT&T zeppelin", "zeppelin -page"]) {
    expect(await refs(words), words).not.toContain(ref);
  }
});

test("the stop words are those of PostgreSQL", async () => {
  const words = [...STOP_WORDS];
  const [row] = await harness.now.sql<{ stops: string[] }[]>`
    select array_agg(word order by place) as stops from unnest(${words}::text[]) with ordinality as w (word, place)
    where ts_lexize('english_stem', word) = '{}'`;
  expect(row!.stops).toEqual(words);
  expect(words).toHaveLength(127);
});

test.each(["a_", "1_", "a1@", "a~", "~a_"])(
  "a long row of %s costs as much as one of words",
  async (part) => {
    const { sql } = harness.now;
    const index = (text: string) => sql`select ticket_document('', ${text})`;
    const row = part.repeat(5_000 / part.length);
    const [rows, words] = await bestTimes(
      [() => index(row), () => index(row.replace(/\W|_/g, " "))],
      ([a, b]) => a! < 5 * b!,
    );
    expect(rows! / words!).toBeLessThan(10);
  },
);
