/** A ticket as a client sends it. */
export interface TicketText {
  title: string;
  description: string;
  request_type: string;
  priority: string;
  blocking: boolean;
  roles: string[];
}

/**
 * Reads ticket creation inputs, one JSON object on each line. Without a file it makes up texts of
 * about the same lengths.
 */
export async function readTexts(file: string | undefined): Promise<TicketText[]> {
  if (file === undefined) return Array.from({ length: 500 }, (_, index) => inventText(index));
  const lines = (await Deno.readTextFile(file)).split("\n").filter(Boolean);
  return lines.map((line) => {
    const { title, description, request_type, priority, blocking, roles = ["other"] } = JSON.parse(line);
    return { title, description, request_type, priority, blocking, roles };
  });
}

const PARTS = [
  ["upload", "export", "login", "search", "billing", "webhook", "scheduler", "report", "import", "cache"],
  ["fails", "is slow", "loses rows", "shows the wrong total", "hangs", "answers twice", "ignores the filter"],
  [
    "for large files",
    "after a restart",
    "in summer time",
    "on mobile",
    "with two tabs open",
    "behind a proxy",
  ],
  ["Steps to repeat it are below.", "It began with the last release.", "Customers have asked twice."],
  ["The log shows a timeout after thirty seconds.", "Nothing is in the log.", "The trace ends in the pool."],
  ["A retry helps for an hour.", "Only a new start helps.", "Turning the feature off helps."],
] as const;

function inventText(index: number): TicketText {
  const pick = (list: readonly string[], step: number) => list[Math.floor(index / step) % list.length]!;
  const [what, does, when] = [pick(PARTS[0], 1), pick(PARTS[1], 10), pick(PARTS[2], 70)];
  const sentences = Array.from({ length: 2 + index % 9 }, (_, turn) => pick(PARTS[3 + turn % 3]!, 1 + turn));
  return {
    title: `The ${what} ${does} ${when}`,
    description: `When the ${what} runs ${when}, it ${does} (case ${index}). ${sentences.join(" ")}`,
    request_type: "bug",
    priority: ["low", "medium", "high"][index % 3]!,
    blocking: index % 10 === 0,
    roles: ["backend"],
  };
}
