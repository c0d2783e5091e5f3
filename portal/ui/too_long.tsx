import { problemOf } from "./lengths.ts";

/** Says that a text is longer than the service takes. The text itself is never cut. */
export function TooLong({ text, most }: { text: string; most: number }) {
  const problem = problemOf(text, { maxLength: most });
  return <p role="status" className={problem ? "too-long" : "hidden"}>{problem}</p>;
}
