import { beforeAll, expect, test } from "vitest";
import { bestTimes } from "../best_times.ts";
import { makeProject, makeTicket, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
let project: TestProject;

beforeAll(async () => {
  project = await makeProject(harness.now);
});

async function refs(words: string): Promise<string[]> {
  const { status, body } = await harness.now.call(
    "GET",
    `${project.path}/tickets?q=${encodeURIComponent(words)}`,
    { token: project.admin.token },
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
