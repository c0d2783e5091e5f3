import { basename } from "node:path";
import type { Arguments } from "./arguments.ts";
import { closestPairs, measureDuplicates } from "./hint.ts";
import { type ImportResult, importTickets, linesOf, readText } from "./import.ts";
import { chapter, shorten, startProgress } from "./print.ts";
import { openProject } from "./project.ts";
import type { Stage } from "./stage.ts";

const OWN_TICKETS = new URL("./tickets.jsonl", import.meta.url);
const OWN_DUPLICATES = new URL("./duplicates.jsonl", import.meta.url);
const MOST_REFUSED_SHOWN = 10;

/** Chapter one: tickets come in, each once, and each is told which open ones resemble it. */
export async function walkImport(
  { rest }: Stage,
  { tickets, duplicates, clients }: Arguments,
): Promise<void> {
  const name = tickets ? basename(tickets).replace(/\.[^.]*$/, "") : "Demo tickets";
  const project = await openProject(rest, name);
  const text = await readText(tickets ?? OWN_TICKETS);
  chapter(
    `Import ${linesOf(text).length} tickets into ${project.name} (${project.key}) with ${clients} clients`,
  );
  const progress = startProgress(linesOf(text).length);
  const result = await importTickets(text, {
    rest,
    projectId: project.id,
    clients,
    onProgress: (done) => progress.update(done),
  });
  progress.stop();
  report(result);
  showHint(result);
  const pairs = duplicates ?? (tickets ? undefined : OWN_DUPLICATES);
  if (pairs !== undefined) showDuplicates(await readText(pairs), result);
}

function report({ tickets, refused, seconds }: ImportResult): void {
  const replayed = tickets.filter((ticket) => ticket.replayed).length;
  const perSecond = (tickets.length / seconds).toFixed(1);
  console.log(`   ${tickets.length - replayed} created, ${replayed} replayed, ${refused.length} refused`);
  console.log(`   ${seconds.toFixed(1)} s, ${perSecond} tickets/s`);
  for (const { line, reason } of refused.slice(0, MOST_REFUSED_SHOWN)) {
    console.log(`   line ${line} refused: ${reason}`);
  }
  if (refused.length > MOST_REFUSED_SHOWN) {
    console.log(`   … and ${refused.length - MOST_REFUSED_SHOWN} more`);
  }
}

function showHint({ tickets }: ImportResult): void {
  const withHint = tickets.filter(({ similar }) => similar !== undefined);
  const found = withHint.filter(({ similar }) => similar!.length > 0);
  console.log(
    `   The hint named at least one similar open ticket for ${found.length} of ${withHint.length} tickets.`,
  );
  if (withHint.length < tickets.length) {
    console.log(
      `   For ${
        tickets.length - withHint.length
      } the model could not answer in time; a job embeds those later.`,
    );
  }
  for (const { ticket, ref, title, similarity } of closestPairs(tickets, 5)) {
    console.log(`   ${similarity.toFixed(4)}  ${ticket.ref} ${shorten(ticket.title)}`);
    console.log(`           ${ref} ${shorten(title)}`);
  }
}

function showDuplicates(text: string, { tickets }: ImportResult): void {
  const { pairs, shown, unknown } = measureDuplicates(text, tickets);
  const share = pairs === 0 ? "none" : (shown / pairs).toFixed(2);
  console.log(`   Known duplicates: the hint showed ${shown} of ${pairs} pairs, a share of ${share}.`);
  if (unknown > 0) console.log(`   ${unknown} pairs name a ticket that is not in this import.`);
}
