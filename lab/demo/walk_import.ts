import { basename } from "node:path";
import { counted } from "../../src/core/counted.ts";
import type { Arguments } from "./arguments.ts";
import { closestPairs, measureDuplicates } from "./hint.ts";
import { type ImportResult, importTickets, linesOf, readText } from "./import.ts";
import { chapter, shorten, startProgress } from "./print.ts";
import { openProject } from "./project.ts";
import type { Stage } from "./stage.ts";

const OWN_TICKETS = new URL("./tickets.jsonl", import.meta.url);
const OWN_DUPLICATES = new URL("./duplicates.jsonl", import.meta.url);
const MOST_REFUSED_SHOWN = 10;

/**
 * Chapter one: tickets are imported, each once, and each answer names the open tickets that
 * resemble it.
 */
export async function walkImport(
  { rest }: Pick<Stage, "rest">,
  { tickets, duplicates, clients }: Arguments,
): Promise<void> {
  // Both files are read before the project is created, so that a missing file leaves nothing
  // behind.
  const text = await readText(tickets ?? OWN_TICKETS);
  const pairs = duplicates ?? (tickets ? undefined : OWN_DUPLICATES);
  const known = pairs && await readText(pairs);
  const count = linesOf(text).length;
  if (count === 0) throw new Error(`${tickets} holds no ticket`);
  const project = await openProject(rest, nameOf(tickets));
  chapter(
    `Import ${counted(count, "ticket")} into ${project.name} (${project.key}) with ${
      counted(clients, "client")
    }`,
  );
  const progress = startProgress(count);
  const result = await importTickets(text, {
    rest,
    projectId: project.id,
    clients,
    onProgress: (done) => progress.update(done),
  });
  progress.stop();
  report(result);
  if (result.tickets.length === 0) throw new Error("Nothing was imported: every line was refused");
  showHint(result);
  if (known !== undefined) showDuplicates(known, result);
}

/** Returns the project's name, which comes from the file of the tickets. */
function nameOf(tickets: string | undefined): string {
  return tickets ? basename(tickets).replace(/\.[^.]*$/, "") : "Demo tickets";
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
    `   The hint named at least one similar open ticket for ${found.length} of ${
      counted(withHint.length, "ticket")
    }.`,
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
  console.log(
    `   Known duplicates: the hint showed ${shown} of ${counted(pairs, "pair")}, a share of ${share}.`,
  );
  if (unknown > 0) console.log(`   Not in this import: a ticket of ${counted(unknown, "pair")}.`);
}
