import { getPriority } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Embedder, type EmbedderOptions, toVectorLiteral } from "../../src/embedding/embedder.ts";
import { startEmbedder } from "../../src/embedding/start.ts";
import { runDeno } from "../run_deno.ts";

const MODEL = new URL("../../models/all-MiniLM-L6-v2/", import.meta.url);
const WEIGHTS = "onnx/model_quantized.onnx";
const PATIENT = { timeoutMs: 30_000 };

const started: Embedder[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const embedder of started.splice(0)) embedder.close();
  for (const folder of folders.splice(0)) await Deno.remove(folder, { recursive: true });
});

describe("the model", () => {
  let embedder: Embedder;
  beforeAll(() => {
    embedder = startEmbedder({ threads: 1, modelDir: MODEL });
  });
  afterAll(() => embedder.close());

  it("is waited for while it starts", async () => {
    expect(await embedder.embed("early", PATIENT)).not.toBeNull();
    expect(embedder.state()).toEqual({ state: "ready", queued: 0 });
  });

  it("gives the published cosines", async () => {
    const weather = await vectorOf(embedder, "The weather is lovely today.");
    const sunny = await vectorOf(embedder, "It's so sunny outside!");
    const stadium = await vectorOf(embedder, "He drove to the stadium.");
    expect(Math.abs(dot(weather, sunny) - 0.666)).toBeLessThan(0.02);
    expect(Math.abs(dot(weather, stadium) - 0.1046)).toBeLessThan(0.02);
    expect(Math.abs(dot(sunny, stadium) - 0.1411)).toBeLessThan(0.02);
  });

  it("gives 384 numbers of unit length, the same for the same text", async () => {
    const first = await vectorOf(embedder, "Build fails on Debian 10");
    await vectorOf(embedder, "something else");
    expect(first).toHaveLength(384);
    expect(Math.sqrt(dot(first, first))).toBeCloseTo(1, 5);
    expect(await vectorOf(embedder, "Build fails on Debian 10")).toEqual(first);
  });

  it("reads the first 256 tokens, the closing one among them, and no more", async () => {
    const full = "word ".repeat(254);
    const cut = await vectorOf(embedder, full);
    expect(await vectorOf(embedder, full + "zebra ".repeat(50_000))).toEqual(cut);
    expect(await vectorOf(embedder, "word ".repeat(200) + "zebra ".repeat(54))).not.toEqual(cut);
  });

  it("embeds odd texts: empty, lone surrogates, emoji, a megabyte of blanks before the word", async () => {
    for (const text of ["", "\ud800 x \udc00", "🧨🧨", "日本語のチケット"]) {
      expect(await vectorOf(embedder, text)).toHaveLength(384);
    }
    expect(await vectorOf(embedder, " ".repeat(1_000_000) + "word")).toEqual(
      await vectorOf(embedder, "word"),
    );
  });

  it.each([
    {
      language: "Thai",
      text: "เข้าสู่ระบบไม่ได้ ใส่รหัสผ่านถูกต้องแล้วยังขึ้นข้อผิดพลาด",
      alike: "ใส่รหัสผ่านถูกต้องแล้ว ยังขึ้นข้อผิดพลาด เข้าสู่ระบบไม่ได้เลย",
      other: "ค้นหาช้า แสดงผลการค้นหานานกว่าสิบวินาที",
    },
    {
      language: "Chinese",
      text: "无法登录，输入正确的密码后仍然显示错误。",
      alike: "输入正确的密码后仍然显示错误，用户无法登录。",
      other: "搜索很慢，显示搜索结果需要十秒以上。",
    },
    {
      language: "Greek",
      text: "Δεν μπορώ να συνδεθώ. Μετά την εισαγωγή του σωστού κωδικού εμφανίζεται σφάλμα.",
      alike: "Μετά την εισαγωγή του σωστού κωδικού εμφανίζεται σφάλμα και δεν μπορώ να συνδεθώ",
      other: "Η αναζήτηση είναι αργή. Χρειάζεται πάνω από δέκα δευτερόλεπτα για τα αποτελέσματα.",
    },
    {
      language: "Korean, by a machine that takes letters apart",
      text: "로그인이 안 됩니다. 올바른 비밀번호를 입력해도 오류가 표시됩니다.",
      alike: "올바른 비밀번호를 입력해도 로그인이 안 됩니다. 오류가 표시됩니다.".normalize("NFD"),
      other: "검색이 느림. 검색 결과 표시에 10초 이상 걸립니다.",
    },
  ])("tells what is alike in $language", async ({ text, alike, other }) => {
    const [one, two, three] = [
      await vectorOf(embedder, text),
      await vectorOf(embedder, alike),
      await vectorOf(embedder, other),
    ];
    expect(Math.sqrt(dot(one, one))).toBeCloseTo(1, 5);
    expect(dot(one, two)).toBeGreaterThan(0.65);
    expect(dot(one, three)).toBeLessThan(0.35);
  });

  it("gives a text of one letter a direction as well", async () => {
    for (const letter of ["胖", "恶", "겔"]) {
      const vector = await vectorOf(embedder, `${letter} `.repeat(11));
      expect(dot(vector, vector), letter).toBeCloseTo(1, 5);
    }
  });

  it("lets the event loop turn while it works", async () => {
    let turns = 0;
    // A busy machine may delay this thread for as long as one text takes, but not at each of many
    // texts.
    for (let texts = 0; texts < 20 && turns <= 5; texts++) {
      turns = 0;
      const timer = setInterval(() => turns++, 0);
      await vectorOf(embedder, "the nightly build of the broken module fails ".repeat(60));
      clearInterval(timer);
    }
    expect(turns).toBeGreaterThan(5);
  });

  it("works at a lower priority than what answers requests", async () => {
    await vectorOf(embedder, "ready");
    const priorities = [];
    for await (const { name } of Deno.readDir("/proc/self/task")) {
      const stat = await Deno.readTextFile(`/proc/self/task/${name}/stat`).catch(() => null);
      if (stat === null) continue; // the thread has ended since it was listed
      // The thread's name may hold blanks, so the fields are counted behind it: the state, fifteen
      // numbers, and then the priority.
      priorities.push(Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]));
    }
    expect(Math.max(...priorities)).toBe(Math.min(getPriority() + 10, 19));
  });

  it("keeps two workers to the same results", async () => {
    const pair = start({ threads: 2, modelDir: MODEL });
    const texts = Array.from({ length: 12 }, (_, n) => `ticket number ${n} about ${"disks ".repeat(n)}`);
    const together = await Promise.all(texts.map((text) => pair.embed(text, PATIENT)));
    const alone = [];
    for (const text of texts) alone.push(await vectorOf(embedder, text));
    expect(together).toEqual(alone);
  });
});

describe("permissions", () => {
  it("needs no net, write or run", async () => {
    const script = new URL("./sandbox.ts", import.meta.url);
    const flags = ["--no-prompt", "--allow-read", "--allow-env", "--allow-ffi", "--allow-sys"];
    const { stdout, stderr } = await runDeno(["run", ...flags, script.pathname]);
    expect(stdout || stderr).toBe("384");
  });
});

describe("a model folder that is not as it was made", () => {
  it.each([
    ["missing weights", () => null, /model_quantized\.onnx is missing/],
    ["truncated weights", (bytes: Uint8Array) => bytes.slice(0, 5_000_000), /\(5000000 bytes\) has sha256/],
    ["one byte changed", (bytes: Uint8Array) => changed(bytes), /model_quantized\.onnx .* has sha256/],
  ])("%s: fails with the reason and returns null", async (_, damage, reason) => {
    const embedder = start({ threads: 2, modelDir: await damagedModel(damage) });
    expect(await embedder.embed("text", PATIENT)).toBeNull();
    expect(embedder.state()).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(reason),
      queued: 0,
    });
    expect(await embedder.embed("text", PATIENT)).toBeNull();
  });

  it("no such folder: fails with the reason", async () => {
    const embedder = start({ threads: 1, modelDir: "/nonexistent/model" });
    expect(await embedder.embed("text", PATIENT)).toBeNull();
    expect(embedder.state()).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("/nonexistent"),
    });
  });
});

describe("the pool", () => {
  it("is off without threads", async () => {
    const embedder = start({ threads: 0, modelDir: MODEL });
    expect(embedder.state()).toEqual({ state: "off", queued: 0 });
    expect(await embedder.embed("text")).toBeNull();
  });

  it.each(["die once", "hang once"])("replaces a worker and retries its text: %s", async (text) => {
    const embedder = await stub({ hangMs: HANG_MS });
    expect(await embedder.embed(text, PATIENT)).toEqual(Float32Array.of(1));
    expect(embedder.state()).toMatchObject({ state: "ready", reason: expect.any(String) });
  });

  it("goes on behind a worker that hung on a text for which nobody waits any more", async () => {
    const embedder = await stub({ hangMs: HANG_MS });
    expect(await embedder.embed("hang", { timeoutMs: 20 })).toBeNull();
    expect(await embedder.embed("fine", PATIENT)).toEqual(Float32Array.of(1));
  });

  it.each(["die", "hang", "spin"])("answers null to a text that ends every worker: %s", async (text) => {
    const embedder = await stub({ hangMs: HANG_MS });
    expect(await embedder.embed(text, PATIENT)).toBeNull();
    expect(await embedder.embed("fine", PATIENT)).toEqual(Float32Array.of(1));
  });

  it("answers null to a text that the model refuses, and keeps the worker", async () => {
    const embedder = await stub();
    expect(await embedder.embed("bad", PATIENT)).toBeNull();
    expect(await embedder.embed("fine", PATIENT)).toEqual(Float32Array.of(2));
  });

  it("fails, and stops trying, when workers die again and again", async () => {
    const ends: unknown[] = [];
    const log = { info: () => {}, warn: (_: string, why: unknown) => ends.push(why), error: () => {} };
    const embedder = start({ ...STUB, modelDir: "never loads", restartMs: 1, log });
    expect(await embedder.embed("text", PATIENT)).toBeNull();
    expect(embedder.state()).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("told not to"),
    });
    await expect.poll(() => ends.length, PATIENT_POLL).toBe(10);
    await pause(1000);
    expect(ends).toHaveLength(10);
    expect(ends.at(-1)).toMatchObject({ deaths: 10, pauseMs: 512 });
  });

  it("takes no more than a thousand texts that wait", async () => {
    const embedder = start({ ...STUB, modelDir: "never loads", restartMs: 60_000 });
    const texts = Array.from({ length: 1001 }, () => embedder.embed("text", { timeoutMs: 60_000 }));
    expect(embedder.state().queued).toBe(1000);
    expect(await texts.at(-1)).toBeNull();
  });

  it("runs requests before backfill", async () => {
    const embedder = await stub();
    const order: string[] = [];
    const ask = async (name: string, text: string, priority: "request" | "backfill") => {
      await embedder.embed(text, { ...PATIENT, priority });
      order.push(name);
    };
    await Promise.all([
      ask("running", "slow", "backfill"),
      ask("backfill 1", "a", "backfill"),
      ask("backfill 2", "b", "backfill"),
      ask("request 1", "c", "request"),
      ask("request 2", "d", "request"),
    ]);
    expect(order).toEqual(["running", "request 1", "request 2", "backfill 1", "backfill 2"]);
  });

  it("lets accounts take turns, so that the many texts of one hold up no other's", async () => {
    const embedder = await stub();
    const order: string[] = [];
    const ask = async (lane: string, n: number, text = "quick") => {
      await embedder.embed(text, { ...PATIENT, lane });
      order.push(`${lane}${n}`);
    };
    const asked = [ask("a", 1, "slow"), ...[2, 3, 4, 5].map((n) => ask("a", n))];
    asked.push(ask("b", 1), ask("c", 1), ask("b", 2));
    await Promise.all(asked);
    expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4", "a5"]);
  });

  it("answers an account in time while another's texts fill the queue", async () => {
    const embedder = await stub();
    const flood = ["slow", ...Array.from({ length: 100 }, () => "quick")].map((text) =>
      embedder.embed(text, { ...PATIENT, lane: "a" })
    );
    expect(await embedder.embed("late", { lane: "a" })).toBeNull();
    const waits = Array.from({ length: 20 }, () => embedder.embed("quick", { ...PATIENT, lane: "b" }));
    expect(embedder.state().queued).toBe(120);
    await Promise.all(waits);
    expect(embedder.state().queued).toBeGreaterThan(60);
    await Promise.all(flood);
  });

  it("gives the place of a full queue's longest account to one with fewer texts", async () => {
    const embedder = start({ ...STUB, modelDir: "never loads", restartMs: 60_000 });
    const ask = (lane: string) => embedder.embed("text", { timeoutMs: 60_000, lane });
    const many = Array.from({ length: 1000 }, () => ask("a"));
    const few = [ask("b"), ask("b")];
    expect([await many.at(-1), await many.at(-2)]).toEqual([null, null]);
    expect(await ask("a")).toBeNull();
    expect(embedder.state().queued).toBe(1000);
    const answers = Promise.race([...few, many[997]!]).then(() => "answered");
    expect(await Promise.race([answers, pause(100).then(() => "waiting")])).toBe("waiting");
  });

  it("never runs a text whose time is over", async () => {
    const embedder = await stub();
    const running = embedder.embed("slow", PATIENT);
    expect(await embedder.embed("impatient", { timeoutMs: 20 })).toBeNull();
    expect(await running).toEqual(Float32Array.of(1));
    expect(await embedder.embed("next", PATIENT)).toEqual(Float32Array.of(2));
  });

  it("refuses at once what could not be done in time", async () => {
    const embedder = await stub();
    const queued = ["slow", ...Array.from({ length: 100 }, () => "quick")].map((t) =>
      embedder.embed(t, PATIENT)
    );
    const answer = await Promise.race([embedder.embed("late"), pause(100).then(() => "still waiting")]);
    expect(answer).toBeNull();
    expect(embedder.state().queued).toBe(100);
    await Promise.all(queued);
    expect(await embedder.embed("idle again", PATIENT)).not.toBeNull();
  });

  it("observes each text once, with its outcome", async () => {
    const seen: [number, boolean][] = [];
    const embedder = await stub({ onObserve: (seconds, ok) => seen.push([seconds, ok]) });
    seen.length = 0;
    await embedder.embed("fine", PATIENT);
    await embedder.embed("hang", { timeoutMs: 20 });
    expect(seen).toEqual([[expect.any(Number), true], [expect.any(Number), false]]);
  });

  it("answers null to what is running or waiting when it closes", async () => {
    const embedder = await stub();
    const answers = [embedder.embed("slow", PATIENT), embedder.embed("waiting", PATIENT)];
    embedder.close();
    expect(await Promise.all(answers)).toEqual([null, null]);
    expect(await embedder.embed("after")).toBeNull();
    expect(embedder.state().state).toBe("off");
  });
});

it("a vector literal keeps single precision", () => {
  const vector = Float32Array.of(0.1, -1, 1e-9);
  expect(Float32Array.from(JSON.parse(toVectorLiteral(vector)))).toEqual(vector);
});

const STUB = { threads: 1, workerUrl: new URL("./stub_worker.ts", import.meta.url) };
const PATIENT_POLL = { timeout: 30_000 };
/**
 * Only these tests let a worker hang on purpose. In other tests a slow worker must not count as
 * hung.
 */
const HANG_MS = 1_500;

function start(options: EmbedderOptions): Embedder {
  const embedder = startEmbedder(options);
  started.push(embedder);
  return embedder;
}

/** A pool with one test worker, which is ready. */
async function stub(options: Partial<EmbedderOptions> = {}): Promise<Embedder> {
  const modelDir = await temporaryFolder();
  const embedder = start({ ...STUB, modelDir, restartMs: 1, ...options });
  await expect.poll(() => embedder.state().state, PATIENT_POLL).toBe("ready");
  return embedder;
}

async function temporaryFolder(): Promise<string> {
  const folder = await Deno.makeTempDir();
  folders.push(folder);
  return folder;
}

async function damagedModel(damage: (bytes: Uint8Array) => Uint8Array | null): Promise<string> {
  const folder = await temporaryFolder();
  await Deno.mkdir(`${folder}/onnx`);
  for (const file of ["SHA256SUMS", "config.json", "tokenizer.json", "tokenizer_config.json"]) {
    await Deno.copyFile(new URL(file, MODEL), `${folder}/${file}`);
  }
  const weights = damage(await Deno.readFile(new URL(WEIGHTS, MODEL)));
  if (weights) await Deno.writeFile(`${folder}/${WEIGHTS}`, weights);
  return folder;
}

function changed(bytes: Uint8Array): Uint8Array {
  bytes[bytes.length >> 1]! ^= 1;
  return bytes;
}

async function vectorOf(embedder: Embedder, text: string): Promise<Float32Array> {
  const vector = await embedder.embed(text, PATIENT);
  if (!vector) throw new Error(`No vector for "${text.slice(0, 40)}": ${JSON.stringify(embedder.state())}`);
  return vector;
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
