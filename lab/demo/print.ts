import process from "node:process";
import cliProgress from "cli-progress";

export function chapter(title: string): void {
  console.log(`\n== ${title}`);
}

interface ProgressBar {
  start(total: number, done: number): void;
  update(done: number): void;
  stop(): void;
}

/** Shows a bar on a terminal, and a line every two seconds elsewhere. */
export function startProgress(total: number): ProgressBar {
  const bar: ProgressBar = new cliProgress.SingleBar({
    format: "   [{bar}] {percentage}%  {value}/{total} tickets  {duration_formatted}",
    stream: process.stderr,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 2_000,
  }, cliProgress.Presets.shades_classic);
  bar.start(total, 0);
  return bar;
}

export function shorten(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
