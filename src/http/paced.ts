import { setSharedTimeout } from "./shared_timeout.ts";

/** How long a client may take for a part of its answer. */
export const STALL_MS = 60_000;

export interface PacedSource {
  /** Returns the next part, or null at the end. */
  next: () => Promise<Uint8Array | null> | Uint8Array | null;
  /** Releases the source, at the end or earlier. */
  drop: () => void;
  /** The client has read nothing for a minute. */
  onStall?: () => void;
}

/**
 * A body whose next part is made only after the client has read the part before, so that a slow
 * client costs the memory of one part. A client that reads nothing for a minute is disconnected
 * before the end of the body.
 *
 * A part must be a copy, because the server keeps the whole buffer of a part that nobody reads. The
 * server also leaves such a connection open until the client reads or leaves, because it notices
 * the failure of a body only at its next write (Deno 2.9.6).
 */
export function paced({ next, drop, onStall }: PacedSource): ReadableStream<Uint8Array> {
  let cancelTimeout = () => {};
  return new ReadableStream({
    async pull(controller) {
      cancelTimeout();
      const part = await next();
      if (!part) {
        drop();
        return controller.close();
      }
      controller.enqueue(part);
      cancelTimeout = setSharedTimeout(STALL_MS, () => {
        controller.error(stopped());
        drop();
        onStall?.();
      });
    },
    cancel() {
      cancelTimeout();
      drop();
    },
  });
}

/** The runtime writes this error to stderr, where its stack would be of no use. */
function stopped(): Error {
  return Object.assign(new Error("The client has stopped reading"), { stack: "" });
}
