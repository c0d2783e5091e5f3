import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { makeKey, makeMember, makeTicket, useProject } from "../factories.ts";
import { openHarness, useHarness } from "../harness.ts";

const harness = useHarness({ env: { PUBLIC_URL: "http://127.0.0.1:3000" } });
const project = useProject(harness);
const DOCUMENT = await Deno.readTextFile(new URL("../../docs/agents.md", import.meta.url));
const ADDRESS = "http://127.0.0.1:3000";

let server: Deno.HttpServer<Deno.NetAddr>;
let key: { id: string; token: string };
beforeAll(async () => {
  server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => harness.now.fetch(request),
  );
  const bot = await makeMember(harness.now, project, "member", "bot");
  key = await makeKey(harness.now, bot);
});
afterAll(() => server.shutdown());

const here = () => `http://127.0.0.1:${server.addr.port}`;

/** The blocks of a language, with the programs that the words before each name. */
function blocks(language: string): [programs: string, text: string][] {
  const parts = DOCUMENT.split(/^ *```/m);
  return parts.flatMap((part, at) => {
    if (at % 2 === 0 || !part.startsWith(`${language}\n`)) return [];
    const before = parts[at - 1]!.trim().split("\n\n").at(-1)!;
    const names = [...before.matchAll(/\*\*(.+?)\*\*/g)].map(([, name]) => name);
    return [[names.join(" and ") || "Claude Code by a command", part.slice(language.length + 1)]];
  });
}

/** A client reads these out of its configuration. The header has a variable in the place of the key. */
interface Server {
  url: string;
  authorization: string;
}

/** The variable that each program puts in, in the form of each. */
const VARIABLE = /\$\{(?:env:|input:)?(?:HANDOFF_KEY|handoff-key)\}|\$HANDOFF_KEY|\{env:HANDOFF_KEY\}|hk_…/;

const ofJson = blocks("json").filter(([, text]) => text.includes("/mcp")).map(
  ([before, text]): [string, Server] => {
    const { mcpServers, servers, mcp } = JSON.parse(text);
    const { url, httpUrl, headers } = (mcpServers ?? servers ?? mcp).handoff;
    return [before, { url: url ?? httpUrl, authorization: headers.Authorization }];
  },
);
const ofToml = blocks("toml").map(([before, text]): [string, Server] => {
  const value = (name: string) => new RegExp(`^${name} = "(.*)"$`, "m").exec(text)![1]!;
  return [before, { url: value("url"), authorization: `Bearer $${value("bearer_token_env_var")}` }];
});
const ofCommands = blocks("sh").filter(([, text]) => text.includes("mcp add")).map((
  [before, text],
): [string, Server] => [
  before,
  { url: /http:\S+/.exec(text)![0], authorization: /--header "Authorization: (.*?)"/.exec(text)![1]! },
]);
const all = [...ofJson, ...ofToml, ...ofCommands];

test("each program that the document names is configured in it", () => {
  const names = all.map(([before]) => before).join("\n");
  for (
    const name of [
      "Claude Code",
      "Cursor",
      "VS Code",
      "Codex",
      "Gemini CLI",
      "Qwen Code",
      "OpenCode",
      "Copilot CLI",
    ]
  ) {
    expect(names).toContain(name);
  }
  expect(all).toHaveLength(8);
});

test.each(all)("%s: what the configuration says reaches the tools", async (_, { url, authorization }) => {
  expect(url).toBe(`${ADDRESS}/mcp`);
  const client = new Client({ name: "test", version: "1" });
  const sent = authorization.replace(VARIABLE, key.token);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url.replace(ADDRESS, here())), {
      requestInit: { headers: { authorization: sent } },
    }),
  );
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("claim_task");
  await client.close();
});

describe("the hooks that the service hands out", () => {
  const OF_CLAUDE = { session_id: "abc", hook_event_name: "Stop" };

  async function run(name: string, input: unknown, env: Record<string, string> = { HANDOFF_KEY: key.token }) {
    const response = await fetch(`${here()}/hooks/${name}.sh`);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/x-shellscript; charset=utf-8",
    ]);
    const file = await Deno.makeTempFile();
    await Deno.writeTextFile(file, (await response.text()).replaceAll(ADDRESS, here()));
    const child = new Deno.Command("sh", {
      args: [file],
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify(input)));
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    await Deno.remove(file);
    const [said, refused] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    return { code, said: said!, refused: refused! };
  }

  const call = (method: string, path: string, body?: Record<string, unknown>) =>
    harness.now.call(method, path, { token: key.token, body });

  test("show at the start what the agent holds, and end no turn while it is at work", async () => {
    expect(await run("stop", OF_CLAUDE)).toMatchObject({ code: 0, refused: "" });
    const ticket = await makeTicket(harness.now, project);
    const title = 'Say "status":"in_progress" ]} and `$(id)`';
    const { body: { id } } = await call("POST", `${ticket.path}/tasks`, { title, role: "qa" });
    await call("POST", `${ticket.path}/tasks/${id}/claim`);
    const { code, said } = await run("session-start", OF_CLAUDE);
    expect(code).toBe(0);
    expect(said).toContain(`"task_id":"${ticket.ref}/1"`);
    expect(said).toMatch(/^Handoff tickets, as get_context tells:\n\{"/);
    const stopped = await run("stop", OF_CLAUDE);
    expect([stopped.code, stopped.refused]).toEqual([2, expect.stringContaining(`${ticket.ref}/1 `)]);
    expect(await run("stop", { ...OF_CLAUDE, stop_hook_active: true })).toMatchObject({
      code: 0,
      refused: "",
    });
    expect((await run("stop", OF_CLAUDE, { HANDOFF_KEY: key.token, HANDOFF_AGENT: "other" })).code).toBe(0);
    await call("POST", `${ticket.path}/questions`, { prompt: "Which?", task_id: id });
    expect((await run("stop", OF_CLAUDE)).code, "its task waits for an answer").toBe(0);
  });

  test("hold nobody up without a key, with a wrong one, or without the service", async () => {
    for (const env of [{}, { HANDOFF_KEY: "hk_wrong" }]) {
      for (const name of ["session-start", "stop"]) {
        expect(await run(name, OF_CLAUDE, env)).toMatchObject({ code: 0, said: "", refused: "" });
      }
    }
    const away = await openHarness({ env: { PUBLIC_URL: "http://127.0.0.1:1" } });
    const script = await (await away.request("GET", "/hooks/stop.sh")).text();
    await away.close();
    expect(script).toContain("'http://127.0.0.1:1/mcp'");
    const { code } = await new Deno.Command("sh", {
      args: ["-c", script],
      env: { HANDOFF_KEY: key.token },
      stdin: "null",
    }).output();
    expect(code).toBe(0);
  });
});
