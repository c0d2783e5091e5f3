import type { Event } from "../src/core/events.ts";

export interface EventStream {
  response: Response;
  /** All that came so far. */
  text: string;
  ended: boolean;
  close(): void;
}

/** Reads a stream of events as text until it is ended. */
export async function openEventStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  const stream = new AbortController();
  const response = await fetch(url, { headers, signal: stream.signal });
  const read = { response, text: "", ended: false, close: () => stream.abort() };
  void (async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) read.text += part;
  })().catch(() => {}).finally(() => read.ended = true);
  return read;
}

/** The events in what a stream has sent. */
export function eventsOf(text: string): Event[] {
  return [...text.matchAll(/^data: (\{"seq".*)$/gm)].map(([, data]) => JSON.parse(data!));
}
