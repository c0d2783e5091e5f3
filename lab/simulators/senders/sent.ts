/**
 * One HTTP request of a sender, ready to be sent: the path below /api, header fields and raw body.
 */
export interface Sent {
  path: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

export function encode(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}
