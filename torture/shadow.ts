import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../", import.meta.url));
export const MODEL = "models/all-MiniLM-L6-v2";
export const WEIGHTS = `${MODEL}/onnx/model_quantized.onnx`;

/** A copy of the service's files in which a scenario may break some; the packages are the same ones. */
export async function openShadow(): Promise<{ path: string; close(): Promise<void> }> {
  const path = await Deno.makeTempDir({ prefix: "handoff-shadow-" });
  for (const part of ["src", "db", "jobs", "models", "deno.json", "package.json"]) {
    const { success } = await new Deno.Command("cp", { args: ["-r", join(PROJECT, part), path] }).output();
    if (!success) throw new Error(`cannot copy ${part}`);
  }
  await Deno.symlink(join(PROJECT, "node_modules"), join(path, "node_modules"));
  return { path, close: () => Deno.remove(path, { recursive: true }) };
}
