/**
 * Runs in a Deno Worker of {@link file://./embed.ts}: loads the model once, then answers one text
 * at a time.
 */
import { BertModel, BertTokenizer, env, FeatureExtractionPipeline, Tensor } from "@xenova/transformers";
import { createHash } from "node:crypto";
import { getPriority, setPriority } from "node:os";
import onnxruntime from "onnxruntime-node";
import { messageOf } from "../../db/errors.ts";
import { withLetters } from "./_letters.ts";
import type { FromWorker, ToWorker } from "./embedder.ts";

type Extractor = (text: string) => Promise<Float32Array>;

const WEIGHTS = "onnx/model_quantized.onnx";
const LOADED_FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", WEIGHTS];
/** Leaves this thread a tenth of a processor when another thread wants it too. */
const NICER_BY = 10;
const NICEST = 19;
/**
 * 254 tokens of 39 characters, while prose ends near 1,300 characters. Without the limit one
 * crafted text of 256 KiB tokenizes for 9 s.
 */
const MAX_CHARACTERS = 10_000;

/** A file of the model is wrong, and trying again would not help. */
class ModelFileError extends Error {
  override name = "ModelFileError";
}

// The code below never asks the library for a file. These settings make sure that the library
// fetches and caches none by itself either.
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

/**
 * Errors other than a bad file go uncaught on purpose, so that the pool replaces the worker and
 * tries again.
 */
async function load(modelDir: string): Promise<FromWorker> {
  const startedAt = performance.now();
  try {
    const base = modelDir.endsWith("/") ? modelDir : modelDir + "/";
    extract = await createExtractor(base, await readVerified(base));
    stepBack();
  } catch (error) {
    if (error instanceof ModelFileError) return { type: "refused", reason: error.message };
    throw error;
  }
  return { type: "ready", seconds: (performance.now() - startedAt) / 1000 };
}

/**
 * Lets requests go first when processors are short, because a text takes 40 ms of one. On Linux
 * this is the thread's priority; elsewhere it would be that of the whole process.
 */
function stepBack(): void {
  if (Deno.build.os === "linux") setPriority(0, Math.min(getPriority(0) + NICER_BY, NICEST));
}

async function embed(text: string): Promise<FromWorker> {
  if (!extract) return { type: "error", message: "a text came before the model was loaded" };
  try {
    return { type: "vector", vector: await extract(text.replace(/\s+/g, " ").slice(0, MAX_CHARACTERS)) };
  } catch (error) {
    return { type: "error", message: messageOf(error) };
  }
}

/** Reads the four files, each proved equal to its line in SHA256SUMS. */
async function readVerified(base: string): Promise<Map<string, Uint8Array>> {
  const sums = parseSums(new TextDecoder().decode(await read(base, "SHA256SUMS")));
  const files = new Map<string, Uint8Array>();
  for (const file of LOADED_FILES) {
    const bytes = await read(base, file);
    const want = sums.get(file) ?? "the one it lacks in SHA256SUMS";
    const got = createHash("sha256").update(bytes).digest("hex");
    if (got !== want) throw refusal(base, `${file} (${bytes.length} bytes) has sha256 ${got}, not ${want}`);
    files.set(file, bytes);
  }
  return files;
}

async function read(base: string, file: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await Deno.readFile(base + file);
  } catch (error) {
    const why = error instanceof Deno.errors.NotFound ? "is missing" : `cannot be read: ${error}`;
    throw refusal(base, `${file} ${why}`);
  }
}

function refusal(base: string, why: string): ModelFileError {
  return new ModelFileError(`Cannot use the model in ${base}: ${why}`);
}

/** Lines as sha256sum writes them: 64 hex digits, a space, a space or asterisk, the path. */
function parseSums(text: string): Map<string, string> {
  const lines = text.matchAll(/^([0-9a-f]{64}) [ *](.+?)\r?$/gm);
  return new Map(Array.from(lines, ([, sum = "", file = ""]) => [file, sum]));
}

/**
 * Puts back the closing token that the model was trained to see. The library drops it when it cuts
 * a text at 256 tokens.
 */
class ClosingTokenizer extends BertTokenizer {
  override _call(...input: Parameters<BertTokenizer["_call"]>): ReturnType<BertTokenizer["_call"]> {
    const encoding = super._call(...input);
    const ids = encoding.input_ids;
    if (!(ids instanceof Tensor)) throw new TypeError("The tokenizer was not asked for a tensor");
    ids.data[ids.size - 1] = BigInt(this.sep_token_id);
    return encoding;
  }
}

/** Builds the extractor by hand, because `pipeline()` lets no session options through. */
async function createExtractor(base: string, files: Map<string, Uint8Array>): Promise<Extractor> {
  // The session is made by path and not from the bytes, because onnxruntime-node 1.14 silently
  // ignores every option when it gets bytes.
  const session = await onnxruntime.InferenceSession.create(base + WEIGHTS, {
    executionProviders: ["cpu"],
    // With 2, its threads share one core and halve the speed; embedding on two cores takes two
    // workers.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const pipeline = new FeatureExtractionPipeline({
    task: "feature-extraction",
    model: new BertModel(jsonOf(files, "config.json"), session),
    tokenizer: new ClosingTokenizer(jsonOf(files, "tokenizer.json"), jsonOf(files, "tokenizer_config.json")),
  });
  return async (text) => {
    const { data } = await pipeline(text, { pooling: "mean", normalize: true });
    return withLetters(Float32Array.from(data), text);
  };
}

function jsonOf(files: Map<string, Uint8Array>, file: string): unknown {
  return JSON.parse(new TextDecoder().decode(files.get(file)));
}
