import { setTimeout as pause } from "node:timers/promises";
import { vi } from "vitest";
import { startLog } from "../src/core/log.ts";

/** What the log writes of `work`, which is done with level `info`; tests have it off otherwise. */
export async function logged(work: () => unknown): Promise<string> {
  let written = "";
  const stdout = vi.spyOn(Deno.stdout, "writeSync").mockImplementation((bytes) => {
    written += new TextDecoder().decode(bytes);
    return bytes.length;
  });
  try {
    await startLog("info");
    await work();
    // Requests' lines go out together with the turn's end, or before the next other line.
    await pause(0);
  } finally {
    stdout.mockRestore();
    await startLog("off");
  }
  return written;
}
