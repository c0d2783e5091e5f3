/** Runs in a Deno Worker of {@link file://./embed.ts}: loads the model once, then answers one text at a time. */
import { BertModel, BertTokenizer, env, FeatureExtractionPipeline } from "@xenova/transformers";
import onnxruntime from "onnxruntime-node";
import type { FromWorker, ToWorker } from "./embed.ts";

type Extractor = (text: string) => Promise<Float32Array>;

const LOADED_FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model_quantized.onnx"];
/** 254 tokens of 39 characters: prose ends near 1,300. Without it one crafted text of 256 KiB tokenizes for 9 s. */
const MAX_CHARACTERS = 10_000;

/** A file of the model is not what it should be; trying again would not help. */
class ModelFileError extends Error {
  override name = "ModelFileError";
}

// Every file is handed over below as verified bytes; these make sure that nothing is fetched or cached besides.
env.allowRemoteModels = false;
env.allowLocalModels = false;
env.useFSCache = false;
env.useBrowserCache = false;

let extract: Extractor | undefined;

self.onmessage = async function receive({ data }: MessageEvent<ToWorker>): Promise<void> {
  if ("load" in data) answer(await load(data.load));
  else answer(await embed(data.text));
};

function answer(message: FromWorker): void {
  self.postMessage(message);
}

/** Errors other than a bad file go uncaught on purpose: the pool replaces the worker and tries again. */
async function load(modelDir: string): Promise<FromWorker> {
  const startedAt = performance.now();
  try {
    extract = await createExtractor(await readVerified(modelDir));
  } catch (error) {
    if (error instanceof ModelFileError) return { type: "refused", reason: error.message };
    throw error;
  }
  return { type: "ready", seconds: (performance.now() - startedAt) / 1000 };
}

async function embed(text: string): Promise<FromWorker> {
  if (!extract) return { type: "error", message: "a text came before the model was loaded" };
  try {
    return { type: "vector", vector: await extract(text.replace(/\s+/g, " ").slice(0, MAX_CHARACTERS)) };
  } catch (error) {
    return { type: "error", message: error instanceof Error ? error.message : String(error) };
  }
}

/** Reads each file once, so that the bytes checked are the bytes used. */
async function readVerified(modelDir: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const base = modelDir.endsWith("/") ? modelDir : modelDir + "/";
  const sums = parseSums(new TextDecoder().decode(await read(base, "SHA256SUMS")));
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const file of LOADED_FILES) {
    const bytes = await read(base, file);
    const want = sums.get(file);
    if (!want) {
      throw new ModelFileError(`Cannot use the model in ${modelDir}: SHA256SUMS has no line for ${file}`);
    }
    const got = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    if (got !== want) {
      throw new ModelFileError(
        `Cannot use the model in ${modelDir}: ${file} (${bytes.length} bytes) has sha256 ${got}, not ${want}`,
      );
    }
    files.set(file, bytes);
  }
  return files;
}

async function read(base: string, file: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await Deno.readFile(base + file);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound ? "is missing" : `cannot be read: ${error}`;
    throw new ModelFileError(`Cannot use the model in ${base}: ${file} ${why}`);
  }
}

/** Lines as sha256sum writes them: 64 hex digits, a space, a space or asterisk, the path. */
function parseSums(text: string): Map<string, string> {
  const lines = text.matchAll(/^([0-9a-f]{64}) [ *](.+?)\r?$/gm);
  return new Map(Array.from(lines, ([, sum = "", file = ""]) => [file, sum]));
}

/** Built by hand, not by `pipeline()`, which lets no session options through and reads the files a second time. */
async function createExtractor(files: Map<string, Uint8Array<ArrayBuffer>>): Promise<Extractor> {
  const session = await onnxruntime.InferenceSession.create(bytesOf(files, "onnx/model_quantized.onnx"), {
    executionProviders: ["cpu"],
    // One thread a worker: threads add workers, and onnxruntime's own would only spin against them.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const pipeline = new FeatureExtractionPipeline({
    task: "feature-extraction",
    model: new BertModel(jsonOf(files, "config.json"), session),
    tokenizer: new BertTokenizer(jsonOf(files, "tokenizer.json"), jsonOf(files, "tokenizer_config.json")),
  });
  return async (text) => Float32Array.from((await pipeline(text, { pooling: "mean", normalize: true })).data);
}

function jsonOf(files: Map<string, Uint8Array>, file: string): unknown {
  return JSON.parse(new TextDecoder().decode(bytesOf(files, file)));
}

function bytesOf(files: Map<string, Uint8Array>, file: string): Uint8Array {
  const bytes = files.get(file);
  if (!bytes) throw new ModelFileError(`${file} was not read`);
  return bytes;
}
