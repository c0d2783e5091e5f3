import { AppError } from "../core/errors.ts";
import { setSharedTimeout } from "./shared_timeout.ts";

/** The bytes of one call's body, unless its procedure says otherwise. */
export const MAX_CALL_BYTES = 256 * 1024;
/** The time for the whole body. 256 KiB in it are 13 KiB a second. */
const BODY_TIMEOUT_MS = 20_000;
/**
 * The server reserves memory for a body that it reads whole as soon as the body is announced, even
 * when it is never sent.
 */
const MOST_AT_ONCE = 64 * 1024;
/** The room for any other body. It doubles as the body comes. */
const FIRST_BYTES = 16 * 1024;

/**
 * Answers, by the beginning of a body, how many bytes the whole may have, or throws the reason why
 * it may have no more.
 */
export type Permit = (head: Uint8Array) => Promise<number>;

/**
 * Reads the body, byte for byte. A client that sends half of it, or a byte now and then, must not
 * hold a call for ever. `permit` is asked once when more than `maxBytes` have come.
 * @throws {AppError} payload_too_large as soon as more than `maxBytes` came, announced or not;
 * request_timeout when it doesn't arrive whole and in time; unsupported_media_type when it is
 * compressed
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  permit?: Permit,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new AppError("unsupported_media_type", "The body must not be compressed");
  }
  const announced = request.headers.get("content-length") ?? "";
  if (!permit && Number(announced) > maxBytes) throw tooLarge(maxBytes);
  // The server gives no more than was announced. A body without an announced length, or with two,
  // is counted.
  const isShort = /^\d+$/.test(announced) && Number(announced) <= MOST_AT_ONCE;
  return await inTime(isShort ? readWhole(request) : readCounted(request.body, maxBytes, permit));
}

async function readWhole(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await request.arrayBuffer());
}

async function readCounted(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  permit?: Permit,
): Promise<Uint8Array<ArrayBuffer>> {
  let bytes = new Uint8Array(FIRST_BYTES);
  let [size, most] = [0, maxBytes];
  // Leaving the loop early cancels the stream, so the rest is not read.
  for await (const chunk of body ?? []) {
    const end = size + chunk.byteLength;
    if (end > most && permit) {
      most = Math.max(most, await permit(size > 0 ? bytes.subarray(0, size) : chunk));
      permit = undefined;
    }
    if (end > most) throw tooLarge(most);
    if (end > bytes.length) bytes = new Uint8Array(bytes.buffer.transfer(Math.max(end, 2 * bytes.length)));
    // The chunk is copied and not kept, because a chunk of one byte comes in a buffer of 64 KiB.
    bytes.set(chunk, size);
    size = end;
  }
  return bytes.slice(0, size);
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = setSharedTimeout(BODY_TIMEOUT_MS, () => late.reject(unfinished("did not arrive in time")));
  try {
    return await Promise.race([reading, late.promise]);
  } catch (error) {
    // Any other failure here is one of the connection, because its client is gone or this process
    // is about to go.
    throw error instanceof AppError ? error : unfinished("did not arrive whole", error);
  } finally {
    cancel();
  }
}

function unfinished(what: string, cause?: unknown): AppError {
  return new AppError("request_timeout", `The body ${what}`, { headers: { Connection: "close" }, cause });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("payload_too_large", `The body may have at most ${maxBytes} bytes`);
}
