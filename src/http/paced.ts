import { setSharedTimeout } from "./shared_timeout.ts";

/** How long a client may take for a part of its answer. */
export const STALL_MS = 60_000;

export interface Parts {
  /** Answers the next part, or null at the end. */
  next: () => Promise<Uint8Array | null> | Uint8Array | null;
  /** Lets go of what is left, at the end or before it. */
  drop: () => void;
  /** The client has taken nothing for a minute. */
  onStall?: () => void;
}

/**
 * A body whose next part is made when the client has taken the one before, so that a slow client
 * costs one part of memory. A client that takes nothing for a minute is given up, and gets no end
 * of the body.
 *
 * A part must be a copy of its own, because the server holds the whole buffer behind a part that
 * nobody takes. It also leaves such a connection open until its client reads or goes: it sees that
 * a body has failed when it may write again (Deno 2.9.6).
 */
export function paced({ next, drop, onStall }: Parts): ReadableStream<Uint8Array> {
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

/** The runtime writes it to stderr, and a stack would say nothing there. */
function stopped(): Error {
  return Object.assign(new Error("The client has stopped reading"), { stack: "" });
}
