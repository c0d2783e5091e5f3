// The service over one database, in a process of its own that a test kills at any moment. Beside the API it answers
// what the test must see or change in the database, because the embedded one belongs to this process alone.
import { buildApp } from "../src/app.ts";
import { parseConfig } from "../src/core/config.ts";
import { systemContext } from "../src/core/context.ts";
import { startLog } from "../src/core/log.ts";
import { startServices } from "../src/core/services.ts";
import { localSender } from "../src/sending/sender.ts";
import { endLeases } from "../src/tasks/end_leases.ts";

const config = parseConfig(Deno.env.toObject());
await startLog(config.LOG_LEVEL);
const { services } = await startServices(config, { sender: localSender(config.WEBHOOK_ALLOWED_HOSTS) });
const app = buildApp(services, () => "ready");

async function answer(request: Request): Promise<Response> {
  switch (new URL(request.url).pathname) {
    case "/sql": {
      const { text, parameters } = await request.json();
      return Response.json(await services.sql.unsafe(text, parameters));
    }
    case "/end-leases":
      await endLeases(systemContext(services, { kind: "job", id: "end-leases" }, "test"));
      return Response.json(null);
    default:
      return await app.fetch(request, { remoteAddress: "127.0.0.1" });
  }
}

Deno.serve({
  port: config.PORT,
  hostname: "127.0.0.1",
  onListen: () => {},
  onError: (error) => Response.json(String((error as Error)?.stack), { status: 500 }),
}, answer);
