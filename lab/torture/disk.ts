import { setTimeout as pause } from "node:timers/promises";
import { Load } from "./load.ts";
import { type Books, until } from "./scenario.ts";
import { Stage } from "./service.ts";

const SECRET = "torture-auth-secret-of-32-characters";

/**
 * Mounts a file system in memory that can be full or read-only; null if this process may not mount
 * one.
 */
async function mount(options: string): Promise<{ path: string; close(): Promise<void> } | null> {
  const path = await Deno.makeTempDir({ prefix: "handoff-disk-" });
  if (!await run("mount", "-t", "tmpfs", "-o", options, "tmpfs", path)) {
    await Deno.remove(path);
    return null;
  }
  return {
    path,
    async close() {
      await run("umount", "-l", path);
      await Deno.remove(path);
    },
  };
}

async function run(command: string, ...args: string[]): Promise<boolean> {
  return (await new Deno.Command(command, { args, stdout: "null", stderr: "null" }).output()).success;
}

/** Starts with a read-only DATA_DIR. It must be refused with a sentence, or not be needed. */
export async function refuseReadOnly(books: Books): Promise<string> {
  const disk = await mount("ro");
  if (!disk) return "DATA_DIR read-only: not tried, this process may not mount";
  const original = await Stage.open();
  try {
    const place = { ...original.place, dataDir: disk.path };
    const refused = Stage.over(place).launch();
    const code = await refused.ended();
    const said = refused.output.split("\n").find((line) => line.startsWith("handoff: ")) ?? refused.output;
    const isRefused = code === 1 && said.includes(disk.path);
    books.expect(isRefused, `DATA_DIR read-only: ended with ${code}: ${said}`);
    let then = said;
    if (place.url) {
      const stage = Stage.over(place, { AUTH_SECRET: SECRET });
      await stage.start();
      await stage.caller();
      await stage.service.stop();
      then = "refused without AUTH_SECRET, served with it";
    }
    return `DATA_DIR read-only: ${then}`;
  } finally {
    await original.close();
    await disk.close();
  }
}

/**
 * Fills the embedded database's disk under load. The database refuses or ends, and has everything
 * again when there is space.
 */
export async function fillDisk(books: Books): Promise<string> {
  const disk = await mount("size=160m");
  if (!disk) return "DATA_DIR full: not tried, this process may not mount";
  const original = await Stage.open();
  const stage = Stage.over({ dataDir: disk.path }, { AUTH_SECRET: SECRET });
  try {
    await run("cp", "-r", `${original.place.dataDir}/db`, disk.path);
    await stage.start();
    const caller = await stage.caller();
    const load = new Load(books.ledger, caller, "full", 8);
    await load.underWay(100);
    await run("sh", "-c", `cat /dev/zero > ${disk.path}/filler`);
    await pause(8000);
    const before = load.acknowledged;
    await Deno.remove(`${disk.path}/filler`);
    const ended = await Promise.race([stage.service.ended(), pause(1000).then(() => null)]);
    if (ended !== null) await stage.start();
    const refused = load.count(503);
    await until("writes are acknowledged again", 30, () => load.acknowledged > before);
    await load.settle(stage);
    books.expect(load.count(500) === 0, "DATA_DIR full: a 500");
    const end = ended === null ? "the process lived" : `the process ended with ${ended}`;
    return `DATA_DIR full: ${refused} calls 503, ${end}, served again with space`;
  } finally {
    await stage.release();
    await original.close();
    await disk.close();
  }
}
