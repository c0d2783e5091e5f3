import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort, ServiceProcess } from "../service_process.ts";

const PROJECT = new URL("../../", import.meta.url).pathname;

let folder: string;
beforeEach(async () => {
  folder = await Deno.makeTempDir({ prefix: "handoff-ops-" });
});
afterEach(async () => {
  await Deno.remove(folder, { recursive: true });
});

function start(env: Record<string, string>): Deno.ChildProcess {
  return new Deno.Command("sh", {
    args: ["ops/start.sh"],
    cwd: PROJECT,
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
  expect(new TextDecoder().decode(stderr)).toBe("handoff: PORT: takes a number from 0 to 65535\n");
});

test("the service starts where folders have blanks in their names", async () => {
  const port = String(freePort());
  const child = start({ PORT: port, DATA_DIR: `${folder}/my data` });
  const service = new ServiceProcess(`http://127.0.0.1:${port}`, child);
  await service.ready();
  expect(await service.stop()).toBe(0);
  expect((await Deno.stat(`${folder}/my data/db`)).isDirectory).toBe(true);
});
