import type { TicketText } from "./texts.ts";

export interface BenchOptions {
  texts: TicketText[];
  rounds: number;
  /** The length of one round of one side. */
  seconds: number;
  /** The number of tickets in the largest database. */
  scale: number;
}

/** One line of the table. */
export interface Finding {
  what: string;
  value: string;
  against: string;
  /** The measured value, in the unit of `reach`. */
  reached: string;
  reach: string;
  ok: boolean;
  /** Everything that was measured, for `--json`. */
  details: Record<string, unknown>;
}

export type Bench = (options: BenchOptions) => Promise<Finding[]>;

/** Writes a line to stderr, so that stdout contains only the table. */
export function progress(text: string): void {
  console.error(`${new Date().toTimeString().slice(0, 8)}  ${text}`);
}

type Measured = Pick<Finding, "what" | "value" | "against" | "details">;

/** A finding about a ratio, which must be at most or at least the bound. */
export function ratioFinding(
  measured: Measured,
  ratio: number,
  { atMost, atLeast }: { atMost?: number; atLeast?: number },
): Finding {
  return {
    ...measured,
    reached: `× ${ratio.toFixed(2)}`,
    reach: atMost === undefined ? `≥ × ${atLeast}` : `≤ × ${atMost}`,
    ok: atMost === undefined ? ratio >= atLeast! : ratio <= atMost,
  };
}

/** A finding about a value, which must not be larger than `most`. */
export function budget(
  what: string,
  value: number,
  { most, unit, against = "", details = {} }: {
    most: number;
    unit: string;
    against?: string;
    details?: Finding["details"];
  },
): Finding {
  const text = `${value.toFixed(Math.abs(value) < 10 ? 1 : 0)} ${unit}`.trim();
  return {
    what,
    value: text,
    against,
    reached: text,
    reach: `≤ ${most} ${unit}`.trim(),
    ok: value <= most,
    details: { value, most, unit, ...details },
  };
}

export function perSecond(value: number): string {
  return `${value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1)}/s`;
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ms`;
}

const COLUMNS = ["what", "value", "against", "reached", "reach"] as const;

export function tableOf(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => [
    ...COLUMNS.map((name) => finding[name]),
    finding.ok ? "yes" : "NO",
  ]);
  return markdownTable(["what", "here", "against", "reached", "to reach", ""], rows);
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length))
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
