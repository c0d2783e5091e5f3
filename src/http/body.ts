import { AppError } from "../core/errors.ts";
import { setSharedTimeout } from "./shared_timeout.ts";

/** The most bytes of a call's body, unless its procedure says otherwise. */
export const MAX_CALL_BYTES = 256 * 1024;
/** The time in which the whole body must arrive. For 256 KiB this means 13 KiB a second. */
const BODY_TIMEOUT_MS = 20_000;
/**
 * For a body that is read as a whole, the server reserves memory as soon as the length is
 * announced, even if the body is never sent.
 */
const MOST_AT_ONCE = 64 * 1024;
/** The first buffer for any other body. Its size doubles as the body arrives. */
const FIRST_BYTES = 16 * 1024;

/**
 * Returns how many bytes the whole body may have, as its beginning tells. Throws the reason if the
 * body may not be longer.
 */
export type Permit = (head: Uint8Array) => Promise<number>;

/**
 * Reads the body, byte for byte. A client that sends half of a body, or a byte now and then, must
 * not hold a call for ever. `permit` is called once, if more than `maxBytes` have arrived.
 * @throws {AppError} payload_too_large as soon as more than `maxBytes` are announced or have
 * arrived; request_timeout if the whole body doesn't arrive in time; unsupported_media_type if the
 * body is compressed
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
  // The server passes on no more bytes than were announced. The bytes of a body without an
  // announced length, or with two, are counted here.
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
    // Any other failure here comes from the connection, because the client has gone or this process
    // is about to end.
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
