import { expect, test } from "vitest";
import { TextLineStream } from "../../ops/lines.ts";

async function linesOf(pieces: string[]): Promise<string[]> {
  return await Array.fromAsync(ReadableStream.from(pieces).pipeThrough(new TextLineStream()));
}

test("lines are the same wherever the text is cut into pieces", async () => {
  const text = "one\u2028line\r\n\r\n\nan\rother\nlast";
  const lines = ["one\u2028line", "", "", "an\rother", "last"];
  expect(await linesOf([text])).toEqual(lines);
  expect(await linesOf([...text])).toEqual(lines);
  expect(await linesOf(["end\r\n"])).toEqual(["end"]);
  expect(await linesOf([])).toEqual([]);
});

test("a long line takes no longer than as many short ones", { timeout: 10_000 }, async () => {
  const pieces = Array.from({ length: 3_000 }, () => "x".repeat(2_000));
  const [line, ...others] = await linesOf(pieces);
  expect([line!.length, others]).toEqual([6_000_000, []]);
});
