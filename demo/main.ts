import { ArgumentError, type Arguments, parseArguments, USAGE } from "./arguments.ts";
import { chapter, say } from "./print.ts";
import { startService } from "./service.ts";
import { openStage, type Stage } from "./stage.ts";
import { walkImport } from "./walk_import.ts";
import { walkTicket } from "./walk_ticket.ts";

async function main(): Promise<void> {
  // npm changes to the project's folder; a file's path is meant from where the command was typed.
  const args = parseArguments(Deno.args, Deno.env.get("INIT_CWD") ?? Deno.cwd());
  if (args.service) {
    await walk(await openStage(args.service.url, args.service, null), args);
    return;
  }
  chapter(`Start a service of the demo's own, its data in ${args.dataDir}`);
  const service = await startService(args.dataDir);
  const stop = () => {
    service.stop().finally(() => Deno.exit(130));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, stop);
  try {
    say(`   ${service.url}/api/docs`);
    await walk(await openStage(service.url, service.admin, service), args);
  } finally {
    await service.stop();
  }
}

async function walk(stage: Stage, args: Arguments): Promise<void> {
  try {
    await walkImport(stage, args);
    await walkTicket(stage);
  } finally {
    await stage.close();
  }
}

try {
  await main();
  Deno.exit(0);
} catch (error) {
  const usage = error instanceof ArgumentError ? `\n\n${USAGE}` : "\n";
  const text = `demo: ${error instanceof Error ? error.message : String(error)}${usage}`;
  Deno.stderr.writeSync(new TextEncoder().encode(text));
  Deno.exit(1);
}
