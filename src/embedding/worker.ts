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
/**
 * With this priority the thread gets a tenth of a processor if another thread wants the processor,
 * too.
 */
const NICER_BY = 10;
const NICEST = 19;
/**
 * The model reads 254 tokens. They are at most 39 characters each, and 254 tokens of prose end near
 * 1,300 characters. Without this limit, tokenizing a crafted text of 256 KiB takes 9 s.
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
 * All errors except for a bad file are left uncaught on purpose, so that the pool replaces the
 * worker and tries again.
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
 * Lowers the priority of this thread, so that requests go first if processors are busy. A text
 * takes 40 ms of a processor. On Linux the priority is the thread's; on other systems it would be
 * the whole process's.
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

/** Reads the four files and checks each against its line in SHA256SUMS. */
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
 * Puts back the closing token, which the model was trained to see. The library drops this token if
 * it cuts a text at 256 tokens.
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

/** Builds the extractor from its parts, because `pipeline()` doesn't pass on session options. */
async function createExtractor(base: string, files: Map<string, Uint8Array>): Promise<Extractor> {
  // The session gets the file's path instead of the bytes, because onnxruntime-node 1.14 silently
  // ignores every option if it gets bytes.
  const session = await onnxruntime.InferenceSession.create(base + WEIGHTS, {
    executionProviders: ["cpu"],
    // With 2, the session's threads would share one core, at half the speed. To embed on two cores,
    // use two workers.
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
