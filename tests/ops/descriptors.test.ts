import { expect, inject, test } from "vitest";
import { freePort, launchService } from "../../ops/launch.ts";
import { copyTemplate, dropPlace, serverUrl } from "../database.ts";
import { ServiceProcess } from "../service_process.ts";
import { until } from "../until.ts";

/** The embedded database has some 300 files open. */
const LIMIT = serverUrl ? 100 : 420;

test.each([LIMIT, LIMIT + 37])(
  "a service that ran out of %i file descriptors answers again when connections have ended",
  async (limit) => {
    const place = await copyTemplate(inject("template"));
    const port = freePort();
    const child = launchService({
      PORT: String(port),
      DATA_DIR: place.dataDir,
      EMBEDDING_THREADS: "0",
      ...(place.url && { DATABASE_URL: place.url }),
    }, { stdout: "piped", stderr: "piped", limits: `ulimit -n ${limit}` });
    const service = new ServiceProcess(`http://127.0.0.1:${port}`, child);
    await service.ready();
    const idle: Deno.Conn[] = [];
    const connect = () => Deno.connect({ hostname: "127.0.0.1", port });
    await until(async () => {
      await Promise.all(
        Array.from({ length: 20 }, () => connect().then((one) => idle.push(one), () => undefined)),
      );
      return service.output.includes("stopped listening, and tries again");
    });
    for (const connection of idle) connection.close();
    await until(async () => (await service.call("GET", "/readyz").catch(() => undefined))?.status === 200);
    expect(await service.stop()).toBe(0);
    await dropPlace(place);
  },
);
