import { MAX_ANSWER_BYTES } from "../core/answer_budget.ts";
import type { RequestContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { log } from "../core/log.ts";
import { compressed, takesGzip } from "./compress.ts";
import { paced, STALL_MS } from "./paced.ts";
import type { HttpEnv } from "./request.ts";

/**
 * A shorter answer is sent as a whole, because it takes no more memory than its connection does.
 */
const PART_BYTES = 64 * 1024;
/** The most bytes of long answers that a caller may leave unread, in this process. */
const MOST_UNREAD_BYTES = 4 * MAX_ANSWER_BYTES;
/** The most connections of a caller on which an answer was ended because nobody read it. */
const MOST_STALLED = 16;
interface Unread {
  bytes: number;
  stalled: number;
}

/** The unread answers of each user. A caller without a credential is counted by address. */
const unreadBy = new Map<string, Unread>();

interface Sent {
  ctx: RequestContext;
  /** Header fields of the request. */
  asked: Headers;
  /**
   * The call has changed something. Its caller must learn of that, no matter how much is unread.
   */
  isChange: boolean;
  /** Settles when the client has the answer or has left. */
  delivered: HttpEnv["Bindings"]["delivered"];
  init: { status: number; headers: Headers };
  /** The bytes that tRPC writes around the answers of a batch. */
  frameBytes?: number;
}

/**
 * Makes the answer with this text. Every answer of a procedure goes through this function, so that
 * no answer is too long, and no answer stays in memory for a client that doesn't read it.
 * @throws {AppError} answer_too_large; rate_limited for a caller who leaves too much unread
 */
export async function send(text: string, sent: Sent): Promise<Response> {
  refuseTooLong(text, sent);
  const { ctx, asked, isChange, delivered, init } = sent;
  const body = takesGzip(asked) ? await compressed(text, init.headers) : text;
  if (body.length <= PART_BYTES) return new Response(body, init);
  const caller = ctx.actor?.user.id ?? ctx.address;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (!isChange) refuseUnread(caller, bytes.length);
  init.headers.set("Content-Length", String(bytes.length));
  return new Response(inParts(bytes, caller, delivered), init);
}

/** This is only a safeguard, because pages and batches end before they are as long as this. */
function refuseTooLong(text: string, { ctx, frameBytes = 0 }: Sent): void {
  const most = MAX_ANSWER_BYTES + frameBytes;
  if (text.length * 3 <= most) return;
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return;
  log.error("an answer was too large", { request_id: ctx.requestId, bytes });
  throw new AppError("answer_too_large", `The answer would have more than ${MAX_ANSWER_BYTES} bytes`);
}

function refuseUnread(caller: string, bytes: number): void {
  const unread = unreadBy.get(caller);
  if (!unread || (unread.bytes + bytes <= MOST_UNREAD_BYTES && unread.stalled < MOST_STALLED)) return;
  throw new AppError("rate_limited", "Earlier answers were not read: read them, or close their connections", {
    retryAfter: STALL_MS / 1000,
  });
}

function inParts(whole: Uint8Array<ArrayBuffer>, caller: string, delivered: Sent["delivered"]) {
  let left: Uint8Array<ArrayBuffer> | null = whole;
  count(caller, { bytes: whole.length });
  const settled = delivered?.();
  const take = (bytes: number) => {
    count(caller, { bytes: -bytes });
    left = left!.length > bytes ? left!.subarray(bytes) : null;
  };
  return paced({
    next() {
      const part = left?.slice(0, PART_BYTES) ?? null;
      if (part) take(part.length);
      return part;
    },
    drop: () => left && take(left.length),
    onStall() {
      if (!settled) return;
      count(caller, { stalled: 1 });
      settled.finally(() => count(caller, { stalled: -1 }));
    },
  });
}

function count(caller: string, { bytes = 0, stalled = 0 }: Partial<Unread>): void {
  const unread = unreadBy.get(caller) ?? { bytes: 0, stalled: 0 };
  unread.bytes += bytes;
  unread.stalled += stalled;
  if (unread.bytes === 0 && unread.stalled === 0) unreadBy.delete(caller);
  else unreadBy.set(caller, unread);
}
