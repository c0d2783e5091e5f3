import { messageOf } from "../../db/errors.ts";
import { GitHubMock } from "../simulators/github/mock.ts";
import { ArgumentError, type Arguments, parseArguments, USAGE } from "./arguments.ts";
import { chapter } from "./print.ts";
import { Rest } from "./rest.ts";
import { startService } from "./service.ts";
import { openStage, type OwnService, type Person, signIn, type Stage } from "./stage.ts";
import { walkDelivery } from "./walk_delivery.ts";
import { walkHosting } from "./walk_hosting.ts";
import { walkImport } from "./walk_import.ts";
import { walkQuestion } from "./walk_question.ts";
import { type Merged, walkMerge, walkSweep } from "./walk_sweep.ts";
import { walkTicket } from "./walk_ticket.ts";

async function main(): Promise<void> {
  // npm changes to the project's folder, but a file's path is relative to the folder in which the
  // command was typed.
  const args = parseArguments(Deno.args, Deno.env.get("INIT_CWD") ?? Deno.cwd());
  if (!args) return console.log(USAGE);
  if (args.service) return await walkElsewhere(args, args.service);
  const github = await GitHubMock.start();
  try {
    await walkOwn(github, args);
  } finally {
    await github.close();
  }
}

/**
 * Runs the demo on a service that others may use. If the caller has tickets, only these are
 * imported.
 */
async function walkElsewhere(
  args: Arguments,
  { url, person }: NonNullable<Arguments["service"]>,
): Promise<void> {
  if (args.tickets !== undefined) return await importOnly(args, url, person);
  await onStage(url, person, (stage) => walkAnywhere(stage, args));
  console.log(
    "\nThe chapters on GitHub, agents and deploys need a service of the demo's own: leave --url out for those.",
  );
}

async function importOnly(args: Arguments, url: string, person: Person): Promise<void> {
  const people = await signIn(url, person);
  try {
    await walkImport({ rest: new Rest(url, () => people.accessToken()) }, args);
  } finally {
    await people.signOut();
  }
}

async function walkOwn(github: GitHubMock, args: Arguments): Promise<void> {
  chapter(`Start a service of the demo's own, its data in ${args.dataDir}`);
  const service = await startService(args.dataDir, github.url);
  const own: OwnService = { ...service, dataDir: args.dataDir, github };
  const interrupt = () => {
    service.stop().finally(() => Deno.exit(130));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, interrupt);
  let merged: Merged;
  try {
    console.log(`   ${service.url}/api/docs`);
    merged = await onStage(service.url, service.admin, async (stage) => {
      await walkAnywhere(stage, args);
      await walkDelivery(stage, own, await walkHosting(stage, own));
      return await walkMerge(stage, own);
    });
  } finally {
    await service.stop();
  }
  await walkSweep(own, merged);
}

async function walkAnywhere(stage: Stage, args: Arguments): Promise<void> {
  await walkImport(stage, args);
  await walkTicket(stage);
  await walkQuestion(stage);
}

async function onStage<T>(url: string, person: Person, play: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = await openStage(url, person);
  try {
    return await play(stage);
  } finally {
    await stage.close();
  }
}

try {
  await main();
  Deno.exit(0);
} catch (error) {
  console.error(`demo: ${messageOf(error)}`);
  if (error instanceof ArgumentError) console.error(`\n${USAGE}`);
  Deno.exit(1);
}
