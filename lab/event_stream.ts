/** Yields the events of the service's stream until the signal aborts or the connection ends. */
export async function* serverSentEvents<Event>(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  const response = await fetch(url, { headers, signal });
  if (!response.ok) throw new Error(await response.text());
  let text = "";
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    // In a process under load, an abort didn't always end a body that was being read (Deno 2.9.6).
    if (signal.aborted) return;
    text += part;
    const whole = text.lastIndexOf("\n\n");
    if (whole < 0) continue;
    for (const [, data] of text.slice(0, whole).matchAll(/^data: (\{"seq".*)$/gm)) yield JSON.parse(data!);
    text = text.slice(whole);
  }
}
