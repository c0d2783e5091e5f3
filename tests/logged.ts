import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import { startLog } from "../src/core/log.ts";

/** Returns the log of `work`, which runs with level `info`. Tests have the log off otherwise. */
export async function logged(work: () => unknown): Promise<string> {
  let written = "";
  const stdout = vi.spyOn(Deno.stdout, "writeSync").mockImplementation((bytes) => {
    written += new TextDecoder().decode(bytes);
    return bytes.length;
  });
  try {
    await startLog("info");
    await work();
    // Log lines of requests are written at the end of the turn, or before the next other line.
    await pause(0);
  } finally {
    stdout.mockRestore();
    await startLog("off");
  }
  return written;
}
