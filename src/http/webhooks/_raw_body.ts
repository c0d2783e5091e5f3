import { AppError } from "../../core/errors.ts";
import { readBody } from "../body.ts";

/**
 * The body as it was sent, before anything looks at it: signatures are made over these bytes.
 * @throws {AppError} unsupported_media_type for a compressed body; payload_too_large, request_timeout
 */
export async function readRawBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new AppError("unsupported_media_type", "The body must not be compressed");
  }
  return await readBody(request, maxBytes);
}
