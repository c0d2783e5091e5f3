import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { freePort } from "../../ops/launch.ts";
import { ticketInput } from "../factories.ts";
import { type ServiceProcess, startService } from "../service_process.ts";
import { until } from "../until.ts";
import { runOps, startOps } from "./_command.ts";

const ADMIN = { ADMIN_EMAIL: "ada@example.test", ADMIN_PASSWORD: "a long enough password" };

interface Side {
  place: Place;
  service: ServiceProcess;
  headers: Record<string, string>;
  project: string;
}

async function openSide(): Promise<Side> {
  const place = await copyTemplate(inject("template"));
  const service = await startService(place, ADMIN);
  const { body } = await service.call("POST", "/api/auth/login", {
    body: { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD },
  });
  const headers = { authorization: `Bearer ${body.access_token}` };
  const made = await service.call("POST", "/api/projects", { headers, body: { name: "Moved", key: "MV" } });
  return { place, service, headers, project: made.body.id };
}

describe("export and import", () => {
  let from: Side;
  let to: Side;
  let folder: string;

  beforeAll(async () => {
    folder = await Deno.makeTempDir({ prefix: "handoff-ops-" });
    [from, to] = [await openSide(), await openSide()];
  });
  afterAll(async () => {
    for (const { service, place } of [from, to]) {
      await service.stop();
      await dropPlace(place);
    }
    await Deno.remove(folder, { recursive: true });
  });

  function run(name: "export" | "import", { service, project }: Side, file: string, env = {}) {
    return runOps(name, [project, `${folder}/${file}`], { ...ADMIN, PUBLIC_URL: service.url, ...env });
  }

  async function lines(file: string) {
    const text = await Deno.readTextFile(`${folder}/${file}`);
    return text.trimEnd().split("\n").map((line) => JSON.parse(line));
  }

  test("run beside a service that says, on a server, who needs its generated secret too", () => {
    const said = from.service.output.includes("AUTH_SECRET is generated into DATA_DIR: other processes");
    expect(said).toBe(from.place.url !== undefined);
  });

  test("move a project from one service to another, in several calls where one would be too large", async () => {
    const path = `/api/projects/${from.project}/tickets`;
    for (let n = 0; n < 45; n++) {
      const body = ticketInput({
        title: `Ticket ${n} with ünïcode 🎫 on one line`,
        description: "日".repeat(5000),
        implementation_notes: '"\\\n'.repeat(1500),
      });
      expect((await from.service.call("POST", path, { headers: from.headers, body })).status).toBe(201);
    }
    expect(await run("export", from, "one.jsonl")).toEqual({
      code: 0,
      text: `Exported 45 tickets to ${folder}/one.jsonl\n`,
    });
    expect((await Deno.stat(`${folder}/one.jsonl`)).mode! & 0o777).toBe(0o600);
    // Links to what comes last take a second round, which is too large for one call as well.
    const records = await lines("one.jsonl");
    const last = records.at(-1).id;
    for (const record of records.slice(0, -1)) {
      Object.assign(record, {
        stage: "live",
        closed_at: record.updated_at,
        resolution_type: "duplicate",
        duplicate_of: last,
      });
    }
    await Deno.writeTextFile(
      `${folder}/linked.jsonl`,
      records.map((record) => JSON.stringify(record)).join("\n"),
    );
    expect((await run("import", to, "linked.jsonl")).text).toBe(
      "Imported 45 tickets; 0 were there already\n",
    );
    expect((await run("import", to, "linked.jsonl")).text).toBe(
      "Imported 0 tickets; 45 were there already\n",
    );
    await run("export", to, "other.jsonl");
    const bare = ({ history: _, ...record }: Record<string, unknown>) => record;
    expect((await lines("other.jsonl")).map(bare)).toEqual(records.map(bare));
  });

  test("take as many tickets as there are, skip empty lines, and leave no session behind", async () => {
    const path = `/api/projects/${from.project}/tickets`;
    await from.service.call("POST", path, { headers: from.headers, body: ticketInput() });
    await run("export", from, "few.jsonl");
    const { history: _, ...record } = (await lines("few.jsonl")).at(-1);
    const many = Array.from({ length: 101 }, (_, n) => ({
      ...record,
      id: crypto.randomUUID(),
      number: 101 + n,
      creation: null,
    }));
    const text = many.map((one) => `${JSON.stringify(one)}\n\n`).join("");
    await Deno.writeTextFile(`${folder}/many.jsonl`, text);
    expect((await run("import", from, "many.jsonl")).text).toBe(
      "Imported 101 tickets; 0 were there already\n",
    );
    await run("export", from, "all.jsonl");
    const numbers = (await lines("all.jsonl")).map(({ number }) => number);
    expect(numbers.slice(-101)).toEqual(many.map(({ number }) => number));
    const { body } = await from.service.call("GET", "/api/auth/sessions", { headers: from.headers });
    expect(body.sessions).toHaveLength(1);
  });

  test("name the lines of the file that are refused", async () => {
    const body = ticketInput();
    await from.service.call("POST", `/api/projects/${from.project}/tickets`, { headers: from.headers, body });
    await run("export", from, "sound.jsonl");
    const { history: _, ...record } = (await lines("sound.jsonl")).at(-1);
    const many = Array.from({ length: 103 }, (_, n) => ({
      ...record,
      id: crypto.randomUUID(),
      number: 1001 + n,
      creation: null,
    }));
    const importWith = async (change: Record<string, unknown>) => {
      const text = many.map((one, n) => JSON.stringify(n === 101 ? { ...one, ...change } : one)).join("\n\n");
      await Deno.writeTextFile(`${folder}/refused.jsonl`, text);
      return await run("import", to, "refused.jsonl");
    };
    expect(await importWith({ deployed_at: record.created_at })).toEqual({
      code: 1,
      text: "handoff: cannot go on: Lines 201 to 205 were refused: Invalid request: line 203, deployed_at: " +
        "Nothing was merged\n",
    });
    expect(await importWith({ number: 1103 })).toEqual({
      code: 1,
      text: "handoff: cannot go on: Lines 201 to 205 were refused: Invalid request: records: " +
        "Names the number 1103 twice\n",
    });
    expect((await importWith({ number: 1001 })).text).toContain("Lines 201 to 205 were refused: A number,");
    await Deno.writeTextFile(
      `${folder}/alone.jsonl`,
      JSON.stringify({ ...many[0], deployed_at: record.created_at }),
    );
    expect((await run("import", to, "alone.jsonl")).text).toContain("cannot go on: Line 1 was refused: ");
    expect((await importWith({})).text).toBe("Imported 3 tickets; 100 were there already\n");
  });

  test("refuse a file in another encoding, whose letters would be lost", async () => {
    await run("export", from, "letters.jsonl");
    const [record] = await lines("letters.jsonl");
    const latin = Uint8Array.from(
      JSON.stringify({ ...record, title: "Gr\u00f6\u00dfe falsch" }),
      (letter) => letter.charCodeAt(0),
    );
    await Deno.writeFile(`${folder}/latin.jsonl`, latin);
    expect(await run("import", to, "latin.jsonl")).toEqual({
      code: 1,
      text: `handoff: cannot go on: ${folder}/latin.jsonl is not in UTF-8, or cut off\n`,
    });
  });

  test("are refused to strangers, leave no half a file and never write over one", async () => {
    const stranger = { ADMIN_EMAIL: "eve@example.test", ADMIN_PASSWORD: "another long password" };
    const account = await from.service.call("POST", "/api/accounts", {
      headers: from.headers,
      body: { name: "Elsewhere", slug: "elsewhere" },
    });
    const made = await from.service.call("POST", "/api/users", {
      headers: from.headers,
      body: {
        email: stranger.ADMIN_EMAIL,
        password: stranger.ADMIN_PASSWORD,
        name: "Eve",
        role: "admin",
        account_id: account.body.id,
      },
    });
    expect(made.status).toBe(201);
    const refused = await run("export", from, "stolen.jsonl", stranger);
    expect([refused.code, refused.text]).toEqual([1, expect.stringContaining("no access to this project")]);
    const names = Array.from(Deno.readDirSync(folder), ({ name }) => name);
    expect(names.filter((name) => name.startsWith("stolen"))).toEqual([]);
    await Deno.writeTextFile(`${folder}/mine.txt`, "mine");
    expect(await run("export", from, "mine.txt")).toEqual({
      code: 1,
      text: expect.stringContaining(`${folder}/mine.txt exists already`),
    });
    expect(await Deno.readTextFile(`${folder}/mine.txt`)).toBe("mine");
    expect(await run("import", from, "mine.txt")).toEqual({
      code: 1,
      text: "handoff: cannot go on: Line 1 is not an exported ticket (no JSON)\n",
    });
    const wrong = await run("import", from, "mine.txt", { ADMIN_PASSWORD: "not the password" });
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringMatching(/^handoff: [^\n]+\n$/)]);
    expect(await run("import", from, "")).toEqual({
      code: 1,
      text: `handoff: cannot go on: ${folder} is a folder\n`,
    });
    expect(await run("export", from, "none/export.jsonl")).toEqual({
      code: 1,
      text: expect.stringMatching(`cannot write to ${folder}/none: No such file or directory`),
    });
    expect(await run("export", from, "mine.txt/export.jsonl")).toEqual({
      code: 1,
      text: expect.stringContaining(`cannot write to ${folder}/mine.txt: Not a directory`),
    });
    await using elsewhere = Deno.serve({ port: 0, onListen() {} }, () => new Response("<!doctype html>"));
    const other = `http://127.0.0.1:${elsewhere.addr.port}`;
    expect(await run("export", from, "none.jsonl", { PUBLIC_URL: other })).toEqual({
      code: 1,
      text: `handoff: cannot go on: the program that answers at ${other} is not this service\n`,
    });
    const unused = `http://127.0.0.1:${freePort()}`;
    expect((await run("export", from, "none.jsonl", { PUBLIC_URL: unused })).text)
      .toContain(`${unused} does not answer: tcp connect error: Connection refused`);
    const PUBLIC_URL = "http://127.0.0.1:1";
    expect(await run("export", from, "none.jsonl", { PUBLIC_URL })).toEqual({
      code: 1,
      text: expect.stringMatching(
        /^handoff: cannot go on: PUBLIC_URL: .+ http:\/\/127\.0\.0\.1:1 does not answer: [^\n]+\n$/,
      ),
    });
  });

  test.each(["export", "import"] as const)(
    "%s signs out and leaves no half a file when it is told to end",
    async (name) => {
      const called: string[] = [];
      // This server simulates a service that answers only sign-ins and sign-outs.
      const service = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
        const [procedure] = new URL(request.url).pathname.split("/").slice(-1);
        called.push(procedure!);
        const givenUp = new Promise<Response>((resolve) =>
          request.signal.addEventListener("abort", () => resolve(new Response()))
        );
        if (!procedure!.startsWith("auth.")) return givenUp;
        const json = { access_token: "a", refresh_token: "r", expires_in: 900 };
        return Response.json({ result: { data: { json } } });
      });
      const file = `${folder}/ended`;
      if (name === "import") await new Deno.Command("mkfifo", { args: [file] }).output();
      const { child, ended } = startOps(name, [from.project, file], {
        ...ADMIN,
        PUBLIC_URL: `http://127.0.0.1:${service.addr.port}`,
      });
      // The pipe opens when the other side reads. That side then waits, because nobody writes.
      const pipe = name === "import" ? await Deno.open(file, { write: true }) : undefined;
      if (name === "export") await until(() => called.includes("transfers.export"));
      child.kill("SIGINT");
      expect(await ended).toEqual({ code: 1, text: "handoff: cannot go on: stopped by SIGINT\n" });
      expect(called.at(-1)).toBe("auth.logout");
      pipe?.close();
      if (name === "import") await Deno.remove(file);
      const names = Array.from(Deno.readDirSync(folder), ({ name }) => name);
      expect(names.filter((name) => name.startsWith("ended"))).toEqual([]);
      await service.shutdown();
    },
  );
});
