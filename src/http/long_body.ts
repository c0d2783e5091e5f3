import type { ActorContext } from "../core/context.ts";
import { Lanes } from "../core/lanes.ts";
import { MAX_CALL_BYTES } from "./body.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const users = new Lanes();
const longBodies = new Lanes();

/** Tells whether the body of a request may be longer than usual. A body without a length may be. */
export function mayBeLong({ headers }: Request): boolean {
  return !(Number(headers.get("content-length") ?? NaN) <= MAX_CALL_BYTES);
}

/**
 * Reads a body that may be longer than usual and does the call's work with it. Each user sends one
 * such body at a time, so that slow senders hold up nobody else. The process parses one such body
 * at a time, because a parsed body takes several times its bytes.
 */
export async function withLongBody<T>(
  { actor }: ActorContext,
  read: () => Promise<Bytes>,
  work: (body: Bytes) => Promise<T>,
): Promise<T> {
  return await users.run(actor.user.id, async () => {
    const body = await read();
    return body.length > MAX_CALL_BYTES ? await longBodies.run("", () => work(body)) : await work(body);
  });
}
