import { AppError } from "../../core/errors.ts";

/**
 * The body as it was sent, before anything looks at it: signatures are made over these bytes.
 * @throws {AppError} payload_too_large as soon as more than `maxBytes` came, announced or not; unsupported_media_type
 * for a compressed body
 */
export async function readRawBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new AppError("unsupported_media_type", "The body must not be compressed");
  }
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the stream: the rest is not read.
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return joined(chunks, size);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("payload_too_large", `The body may have at most ${maxBytes} bytes`);
}

function joined(chunks: Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}
