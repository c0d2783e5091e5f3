import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Stage } from "./service.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const MODEL = "models/all-MiniLM-L6-v2";
export const WEIGHTS = `${MODEL}/onnx/model_quantized.onnx`;

/** Runs on a service whose model files are a copy in which `spoil` has broken some. */
export async function onShadow(
  spoil: (path: string) => Promise<void>,
  play: (stage: Stage, path: string) => Promise<string>,
): Promise<string> {
  const path = await copyProject();
  await spoil(path);
  try {
    return await Stage.play((stage) => play(stage, path), { EMBEDDING_THREADS: "1" }, { project: path });
  } finally {
    await Deno.remove(path, { recursive: true });
  }
}

/** The copy uses the same packages. */
async function copyProject(): Promise<string> {
  const path = await Deno.makeTempDir({ prefix: "handoff-shadow-" });
  for (const part of ["src", "db", "jobs", "models", "deno.json", "package.json"]) {
    const { success } = await new Deno.Command("cp", { args: ["-r", join(PROJECT, part), path] }).output();
    if (!success) throw new Error(`cannot copy ${part}`);
  }
  await Deno.symlink(join(PROJECT, "node_modules"), join(path, "node_modules"));
  return path;
}

/**
 * Wraps the model's worker: `deadly` texts end it, `hanging` ones keep it for ever, `slow` ones
 * keep it for 8 seconds.
 */
export async function addTexts(path: string): Promise<void> {
  const worker = join(path, "src/embedding/worker.ts");
  const real = join(path, "src/embedding/worker_real.ts");
  await Deno.rename(worker, real);
  await Deno.writeTextFile(
    worker,
    `import "./worker_real.ts";
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
