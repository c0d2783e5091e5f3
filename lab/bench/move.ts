import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { inherited } from "../../ops/launch.ts";
import { dropPlace, emptyPlace, type Place, serverUrl } from "../../tests/database.ts";
import { readEverything } from "../../tests/read_everything.ts";
import { type Installation, makeDemo, makeLarge } from "./move_installations.ts";
import { type BenchOptions, type Finding, progress } from "./report.ts";
import { type Server, startService } from "./service.ts";

const REACH_SECONDS = 600;
const THERE = "to the server, after one that was killed";

interface Way {
  place: Place;
  /** The target, as `npm run move` takes it. */
  to: string;
}

/**
 * Moves two installations from the embedded database to a server and back: the one that the demo
 * makes, which has things of every kind, and one with very many tickets. Four people read each
 * before and after.
 */
export async function benchMove({ scale }: BenchOptions): Promise<Finding[]> {
  if (!serverUrl) {
    progress("not tried: a move needs a server (set DATABASE_URL)");
    return [];
  }
  return [...await thereAndBack(await makeDemo()), ...await thereAndBack(await makeLarge(scale))];
}

async function thereAndBack(installation: Installation): Promise<Finding[]> {
  const { place: source } = installation;
  const server = await emptyPlace("bench");
  const back = { dataDir: await Deno.makeTempDir({ prefix: "handoff-bench-" }) };
  const there = { place: source, to: server.url! };
  try {
    const before = await readAll(source, installation);
    await kill(installation, there);
    return [
      await measure(installation, THERE, there),
      compare(`${installation.what} on the server`, before, await readAll(server, installation)),
      await measure(installation, "back", { place: { ...server, dataDir: back.dataDir }, to: "embedded" }),
      compare(`${installation.what} back`, before, await readAll(back, installation)),
    ];
  } finally {
    for (const place of [source, server, back]) await dropPlace(place);
  }
}

/** Every answer that each reader gets, by the reader and the path. */
type Seen = Map<string, unknown>;

async function readAll(place: Place, { readers, secret }: Installation): Promise<Seen> {
  const env = { AUTH_SECRET: secret, PUBLIC_URL: "http://bench.test", JOBS: "off" };
  const server = await startService(place, env);
  const seen: Seen = new Map();
  try {
    for (const { name, token } of readers) {
      const answers = await readEverything(async (path) => await read(server, await token(), path));
      for (const [path, answer] of answers) seen.set(`${name} ${path}`, answer);
    }
    return seen;
  } finally {
    await server.stop();
  }
}

/** A key's calls are limited by the minute. */
async function read(
  { origin }: Server,
  token: string,
  path: string,
): Promise<{ status: number; body: unknown }> {
  for (;;) {
    const response = await fetch(`${origin}/api${path}`, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    if (response.status !== 429) {
      return { status: response.status, body: text === "" ? null : JSON.parse(text) };
    }
    await pause(2_000);
  }
}

async function measure({ what, secret }: Installation, way: string, { place, to }: Way): Promise<Finding> {
  const started = performance.now();
  const { success, text } = await ended(launch(place, secret, to));
  if (!success) throw new Error(`the move ${way} failed`);
  if (way === THERE && !text.includes("unfinished move")) {
    throw new Error("no move was killed before this one");
  }
  const seconds = (performance.now() - started) / 1000;
  const rows = Number(/^Moved (\d+) rows/m.exec(text)![1]);
  return {
    what: `move of ${what} ${way}`,
    value: `${seconds.toFixed(0)} s, ${rows.toLocaleString("en")} rows`,
    against: "-",
    reached: `${seconds.toFixed(0)} s`,
    reach: `≤ ${REACH_SECONDS} s`,
    ok: seconds <= REACH_SECONDS,
    details: { seconds, rows },
  };
}

/** Starts a move and kills it while it copies. */
async function kill({ secret }: Installation, { place, to }: Way): Promise<void> {
  const child = launch(place, secret, to);
  const { success } = await ended(child, (text) => {
    if (text.includes("copying")) child.kill("SIGKILL");
  });
  if (success) throw new Error("the move was over before it was killed");
}

function launch(place: Place, secret: string, to: string): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "ops/move.ts", "--to", to],
    cwd: new URL("../../", import.meta.url),
    clearEnv: true,
    env: {
      ...inherited(),
      AUTH_SECRET: secret,
      DATA_DIR: place.dataDir,
      ...(place.url && { DATABASE_URL: place.url }),
    },
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

/** Waits for the end of a move, and answers what it said. */
async function ended(child: Deno.ChildProcess, onText: (text: string) => void = console.error) {
  let text = "";
  for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += part;
    onText(part);
  }
  return { success: (await child.status).success, text };
}

function compare(what: string, before: Seen, after: Seen): Finding {
  const other = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !isDeepStrictEqual(before.get(path), after.get(path)));
  if (other.length > 0) progress(`other answers of ${what}: ${other.slice(0, 5).join(", ")}`);
  return {
    what: `answers to four readers of ${what}`,
    value: counts(before),
    against: counts(after),
    reached: `${other.length} differ`,
    reach: "0 differ",
    ok: other.length === 0,
    details: { other },
  };
}

function counts(seen: Seen): string {
  const granted = [...seen.values()].filter((answer) => (answer as { status: number }).status === 200);
  return `${seen.size.toLocaleString("en")}, ${granted.length.toLocaleString("en")} of them 200`;
}
