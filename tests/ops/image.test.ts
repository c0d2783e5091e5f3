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
  // The known vulnerabilities are asked for where the packages are installed.
  const commands = Object.values(tasks).flatMap((task) => /ops\/\w+\.ts/.exec(task) ?? [])
    .filter((path) => path !== "ops/audit.ts");
  expect(commands).toHaveLength(8);
  expect(cached.split(/[\s\\]+/)).toEqual(expect.arrayContaining(commands));
});
