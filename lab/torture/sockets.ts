/** Acts of a hostile or broken client on its connection, below the level of fetch. */

export interface Line {
  write(text: string): Promise<void>;
  /** The status line of the answer, or null if the connection ends without one. */
  status(): Promise<string | null>;
  close(): void;
}

export async function openLine(port: number): Promise<Line> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  let open = true;
  return {
    async write(text) {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    },
    async status() {
      const buffer = new Uint8Array(4096);
      const size = await connection.read(buffer).catch(whenGone);
      return size === null ? null : new TextDecoder().decode(buffer.subarray(0, size)).split("\r\n")[0]!;
    },
    close() {
      if (open) connection.close();
      open = false;
    },
  };
}

function whenGone(error: unknown): null {
  if (isGone(error)) return null;
  throw error;
}

export function isGone(error: unknown): boolean {
  return [
    Deno.errors.BadResource,
    Deno.errors.BrokenPipe,
    Deno.errors.ConnectionReset,
    Deno.errors.ConnectionAborted,
    Deno.errors.Interrupted,
  ].some((kind) => error instanceof kind);
}

export function requestHead(method: string, path: string, fields: Record<string, string>): string {
  const lines = Object.entries({ Host: "torture", ...fields }).map(([name, value]) => `${name}: ${value}`);
  return `${method} /api${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}
