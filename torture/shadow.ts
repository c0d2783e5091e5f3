import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../", import.meta.url));
const MODEL = "models/all-MiniLM-L6-v2";
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

/** Wraps the model's worker: `deadly` texts end it, `hanging` ones keep it for ever, `slow` ones for 8 seconds. */
export async function addTexts(path: string): Promise<void> {
  const worker = join(path, "src/core/embed_worker.ts");
  const real = join(path, "src/core/embed_worker_real.ts");
  await Deno.rename(worker, real);
  await Deno.writeTextFile(
    worker,
    `import "./embed_worker_real.ts";
const receive = self.onmessage;
self.onmessage = async (event) => {
  const text = "text" in event.data ? event.data.text : "";
  if (text.includes("deadly")) setTimeout(() => { throw new Error("a deadly text"); });
  else if (text.includes("hanging")) for (;;);
  else {
    if (text.includes("slow")) await new Promise((resolve) => setTimeout(resolve, 8000));
    receive(event);
  }
};
`,
  );
}
