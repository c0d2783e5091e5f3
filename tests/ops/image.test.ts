import { expect, test } from "vitest";
import { exists } from "../../db/files.ts";

const ROOT = new URL("../../", import.meta.url);

function linesOf(file: string): string[] {
  return Deno.readTextFileSync(new URL(file, ROOT)).split("\n");
}

test("every path that the image copies is there and is sent to its build", async () => {
  const copied = linesOf("Dockerfile").flatMap((line) => {
    const [word, ...paths] = line.split(/\s+/);
    return word === "COPY" && !paths[0]!.startsWith("--from=") ? paths.slice(0, -1) : [];
  });
  expect(copied).toContain("src");
  const sent = linesOf(".dockerignore").filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  expect(copied.filter((path) => !sent.some((one) => path === one || path.startsWith(`${one}/`)))).toEqual(
    [],
  );
  for (const path of copied) expect([path, await exists(new URL(path, ROOT).pathname)]).toEqual([path, true]);
});

test("the image has the commands of its operator, compiled like the service", () => {
  const [, cached = ""] = /deno cache ((?:\\\n|.)+)/.exec(linesOf("Dockerfile").join("\n")) ?? [];
  const { tasks } = JSON.parse(linesOf("deno.json").join("\n")) as { tasks: Record<string, string> };
  // These are for those who have a checkout and its packages.
  const commands = Object.values(tasks).flatMap((task) => /ops\/(\w+)\.ts/.exec(task)?.[1] ?? [])
    .filter((name) => !["audit", "release"].includes(name));
  expect(commands).toHaveLength(8);
  const paths = commands.map((name) => `ops/${name}.ts`);
  expect(cached.split(/[\s\\]+/)).toEqual(expect.arrayContaining(paths));
  const [, ofRelease = ""] = /^(backup .+)\)$/m.exec(linesOf("ops/handoff.sh").join("\n")) ?? [];
  expect(ofRelease.split(" | ")).toEqual(commands.sort());
});

test("the version is the same everywhere", () => {
  const { version } = JSON.parse(linesOf("package.json").join("\n"));
  expect(linesOf("Dockerfile").join("\n")).toContain(`image.version="${version}"`);
  expect(linesOf("deploy/chart/Chart.yaml")).toContain(`version: ${version}`);
  expect(linesOf("deploy/chart/Chart.yaml")).toContain(`appVersion: "${version}"`);
  expect(linesOf("CHANGELOG.md")).toContain(`## ${version}`);
});

test("the image's health check tells a service that answers from one that doesn't", async () => {
  const [, quoted = ""] = /CMD (\["bash".+\])/.exec(linesOf("Dockerfile").join("\n")) ?? [];
  const [command, ...args] = JSON.parse(quoted) as [string, ...string[]];
  let status = 200;
  const hosts: (string | null)[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    hosts.push(request.headers.get("host"));
    return new Response("", { status: new URL(request.url).pathname === "/healthz" ? status : 404 });
  });
  const env = { PORT: String(server.addr.port) };
  const check = async () => (await new Deno.Command(command, { args, env, stderr: "null" }).output()).code;
  expect(await check()).toBe(0);
  expect(hosts).toEqual([`127.0.0.1:${server.addr.port}`]);
  status = 503;
  expect(await check()).toBe(1);
  await server.shutdown();
  expect(await check()).not.toBe(0);
});
