import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { copyTemplate } from "../database.ts";
import { answers, freePort } from "../../ops/launch.ts";
import { ServiceProcess } from "../service_process.ts";
import { until } from "../until.ts";
import { runOps } from "./_command.ts";

const PROJECT = new URL("../../", import.meta.url).pathname;

let folder: string;
beforeEach(async () => {
  ({ dataDir: folder } = await copyTemplate(inject("template")));
});
afterEach(async () => {
  await Deno.remove(folder, { recursive: true });
});

/** Starts the service in a process group of its own. */
function start(
  env: Record<string, string>,
  command = ["sh", "ops/start.sh"],
  project = PROJECT,
): Deno.ChildProcess {
  const [program, ...args] = command;
  return new Deno.Command(program!, {
    args,
    detached: true,
    cwd: project,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: Deno.env.get("HOME") ?? "",
      EMBEDDING_THREADS: "0",
      ...env,
    },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

test("a bad configuration ends the start with one line that names the variable", async () => {
  const { code, stdout, stderr } = await start({ PORT: "abc", DATA_DIR: folder }).output();
  expect(code).toBe(1);
  expect(new TextDecoder().decode(stdout)).toBe("");
  expect(new TextDecoder().decode(stderr)).toBe("handoff: PORT: takes a number from 1 to 65535\n");
});

test.each<[string, Record<string, string>]>([
  ["DATABASE_URL: cannot use the database: ", { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" }],
  ["DATABASE_URL: cannot use the database: ", { DATABASE_URL: "postgres://nobody@nowhere.invalid/none" }],
  ["HOST, PORT: cannot listen on 192.0.2.1:", { HOST: "192.0.2.1" }],
  ["DATA_DIR: no database can be kept in /proc/none: ", { DATA_DIR: "/proc/none" }],
  // The folder is at fault, and not the secret that would be kept in it.
  ["DATA_DIR: cannot write to /proc/none: access to ", { DATA_DIR: "/proc/none", AUTH_SECRET: "" }],
  ["JOBS: only is for a process beside others that share a database server", { JOBS: "only" }],
])("a start that fails says in one line, which begins with %s, what to mend", async (line, env) => {
  const AUTH_SECRET = "a secret of more than 32 characters";
  const child = start({ PORT: String(freePort()), DATA_DIR: folder, AUTH_SECRET, ...env });
  const { code, stdout, stderr } = await child.output();
  expect([code, new TextDecoder().decode(stdout)]).toEqual([1, ""]);
  const said = new TextDecoder().decode(stderr);
  expect(said).toMatch(/^handoff: [^\n]+\n$/);
  expect(said).not.toContain("--allow");
  expect(said.slice("handoff: ".length)).toSatisfy((text: string) => text.startsWith(line));
});

test("a server without TLS is named as the cause where the address asks for it", async () => {
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const answering = (async () => {
    for await (const connection of server) {
      const messages = connection.readable.getReader();
      await messages.read();
      // PostgreSQL without TLS answers this to the first message. The bytes after that are no
      // message to it.
      await connection.write(new TextEncoder().encode("N"));
      await messages.read().catch(() => {});
      messages.releaseLock();
      connection.close();
    }
  })();
  const DATABASE_URL = `postgres://nobody@127.0.0.1:${server.addr.port}/none?sslmode=require`;
  const { code, stderr } = await start({ PORT: String(freePort()), DATA_DIR: folder, DATABASE_URL }).output();
  const doctor = await runOps("doctor", [], { DATA_DIR: folder, DATABASE_URL });
  const move = await runOps("move", ["--to", DATABASE_URL], { DATA_DIR: folder });
  server.close();
  await answering;
  const place = `127.0.0.1:${server.addr.port}`;
  expect(doctor.text).toContain(
    `WRONG   database at ${place}: the server closed the connection when it was asked`,
  );
  expect(move.text).toContain(
    `cannot go on: postgres://${place}/none: the server closed the connection when it`,
  );
  expect([code, new TextDecoder().decode(stderr)]).toEqual([
    1,
    expect.stringMatching(
      /^handoff: DATABASE_URL: cannot use the database: the server closed .* asked for TLS.*\n$/,
    ),
  ]);
});

test("what goes into a file or a pipe has no colours", async () => {
  const { stderr } = await start({ PORT: "abc", DATA_DIR: folder }, ["npm", "start"]).output();
  const said = new TextDecoder().decode(stderr);
  expect(said).toContain("handoff: PORT: takes a number");
  expect(said).not.toContain("\x1b");
});

test.each([["start", "--port"], ["start", "start"], ["start", "/tmp/other.ts"], ["worker", "-A"], [
  "dev",
  "now",
]])(
  "npm run %s %s is told that there are no arguments, and the runtime doesn't get them",
  async (name, argument) => {
    const { code, stdout, stderr } = await start({ DATA_DIR: folder }, ["npm", "run", name, "--", argument])
      .output();
    const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    expect([code, said]).toEqual([1, expect.stringContaining(`handoff: npm run ${name} takes no arguments`)]);
    expect(said).not.toMatch(/deno|permission/i);
  },
);

test("npm start says how it is set when it is asked for help", async () => {
  const { code, stdout } = await start({ DATA_DIR: folder }, ["npm", "start", "--", "--help"]).output();
  expect([code, new TextDecoder().decode(stdout)]).toEqual([
    0,
    expect.stringContaining("Its settings are environment variables"),
  ]);
});

test.each(["SIGTERM", "SIGINT"] as const)(
  "a %s to the group of npm start, which each of them passes on, lets requests end",
  async (signal) => {
    const port = freePort();
    // The variables come from a file whose lines end as on Windows.
    const env = { DATA_DIR: `${folder}\r`, PUBLIC_URL: `http://127.0.0.1:${port}\r` };
    const child = start({ PORT: String(port), ...env }, ["npm", "start"]);
    const service = new ServiceProcess(`http://127.0.0.1:${port}`, child);
    await service.ready();
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const lines = connection.readable.pipeThrough(new TextDecoderStream()).getReader();
    await connection.write(new TextEncoder().encode(
      "POST /api/auth/login HTTP/1.1\r\nHost: handoff.test\r\nContent-Type: application/json\r\n" +
        "Content-Length: 99\r\nExpect: 100-continue\r\n\r\n",
    ));
    expect((await lines.read()).value).toContain("100 Continue");
    Deno.kill(-child.pid, signal);
    // The service answers the call without waiting for its body.
    expect((await lines.read()).value).toMatch(/^HTTP\/1\.1 408 /);
    connection.close();
    expect(await service.ended()).toBe(0);
    expect(service.output).toContain('"stopped","answered":true,"closed":true');
    await until(() => ![...Deno.readDirSync(folder)].some(({ name }) => name.startsWith("send.")));
  },
);

test("a service for everybody says that its links lead to this machine", async () => {
  const port = freePort();
  const service = new ServiceProcess(
    `http://127.0.0.1:${port}`,
    start({ PORT: String(port), DATA_DIR: folder, HOST: "0.0.0.0" }),
  );
  await service.ready();
  expect(await service.stop()).toBe(0);
  expect(service.output).toContain(`Documentation: http://localhost:${port}/api/docs\n`);
  expect(service.output).toContain('"warning","message":"links name localhost: set PUBLIC_URL');
});

test("a log that nobody reads any more costs its lines, and not the service", async () => {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = start({ PORT: String(port), DATA_DIR: folder });
  await until(() => answers(`${url}/readyz`));
  await child.stdout.cancel();
  for (let i = 0; i < 3; i++) expect(await answers(`${url}/healthz`)).toBe(true);
  // The service notices a line that it can't write only after the answer that the line describes.
  await until(async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return Number(/^handoff_log_writes_lost (\d+)/m.exec(metrics)![1]) > 0;
  });
  child.kill("SIGTERM");
  expect((await child.output().catch(() => child.status)).code).toBe(0);
});

test("the service starts where folders have blanks in their names", async () => {
  const port = String(freePort());
  const { dataDir } = await copyTemplate(inject("template"), `${folder}/my data`);
  const child = start({ PORT: port, DATA_DIR: dataDir });
  const service = new ServiceProcess(`http://127.0.0.1:${port}`, child);
  await service.ready();
  expect(await service.stop()).toBe(0);
  expect((await Deno.stat(`${dataDir}/auth_secret`)).isFile).toBe(true);
});

test("the start tells the runtime to wait two seconds for a collector's answer, and to ask for no newer version", async () => {
  const port = freePort();
  const service = new ServiceProcess(
    `http://127.0.0.1:${port}`,
    start({ PORT: String(port), DATA_DIR: folder }),
  );
  await service.ready();
  const environment = await Deno.readTextFile(`/proc/${service.pid}/environ`);
  expect(await service.stop()).toBe(0);
  expect(environment.split("\0")).toEqual(
    expect.arrayContaining(["OTEL_EXPORTER_OTLP_TIMEOUT=2000", "DENO_NO_UPDATE_CHECK=1"]),
  );
});

test("without the packages that build the portal, the start says so in one line and serves the rest", async () => {
  const project = await projectWithout("vite");
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = { PORT: String(port), DATA_DIR: folder, ADMIN_PASSWORD: "correct horse battery" };
  try {
    const service = new ServiceProcess(url, start(settings, undefined, project));
    await service.ready();
    const first = await fetch(url, { redirect: "manual" });
    await first.body?.cancel();
    expect([first.status, first.headers.get("location")]).toEqual([302, "/api/docs"]);
    expect(await service.get("/api/docs")).toContain("swagger");
    expect(await service.get("/invite")).toContain("Set your password");
    const board = await service.call("GET", "/HO/board");
    expect([board.status, board.body.code]).toEqual([404, "not_found"]);
    expect((await service.call("GET", "/api/projects")).status).toBe(401);
    expect(await service.stop()).toBe(0);
    expect(service.output.match(/the portal is not built.*/g)).toEqual([
      "the portal is not built, because the packages for it are not installed (npm ci)",
    ]);
  } finally {
    await Deno.remove(project, { recursive: true });
  }
});

/** Makes a folder with the project's files, and with its packages but one. */
async function projectWithout(missing: string): Promise<string> {
  const project = await Deno.makeTempDir({ prefix: "handoff-unbuilt-" });
  await Deno.mkdir(`${project}/node_modules`);
  const copied = ["db", "deno.json", "jobs", "ops", "package-lock.json", "package.json", "portal", "src"];
  const copy = { args: ["-r", ...copied, project], cwd: PROJECT };
  expect((await new Deno.Command("cp", copy).output()).success).toBe(true);
  await Deno.symlink(`${PROJECT}models`, `${project}/models`);
  for await (const { name } of Deno.readDir(`${PROJECT}node_modules`)) {
    const [from, to] = [`${PROJECT}node_modules/${name}`, `${project}/node_modules/${name}`];
    if (name === missing) continue;
    // The service may load native code from its own folder only.
    if (name === "@node-rs") await new Deno.Command("cp", { args: ["-r", from, to] }).output();
    else await Deno.symlink(from, to);
  }
  return project;
}
