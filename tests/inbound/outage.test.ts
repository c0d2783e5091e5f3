import { expect, test } from "vitest";
import type { Place } from "../database.ts";
import { startService } from "../service_process.ts";
import { startTcpProxy, targetOf, throughProxy } from "../tcp_proxy.ts";
import { effectsAt, type Lane, prepareStream, SECRETS, sendAll, sendUntilTaken } from "./_stream.ts";

const SUBJECTS = 40;
const OUTAGE_MS = 10_000;

test(
  "a database that is away for 10 s in the middle of a stream costs the senders retries, and nothing else",
  async () => {
    const { place, lanes, expected } = await prepareStream(SUBJECTS);

    const tries = await (place.url ? withServerAway(place, lanes) : withEngineDead(place, lanes));

    expect(tries).toHaveLength(SUBJECTS * 5);
    const failures = new Set(tries.flat().filter((status) => status !== 200));
    // The service reports that a server is away. The embedded database, in contrast, ends together
    // with its process.
    expect([...failures]).toEqual([place.url ? 503 : 0]);
    expect(await effectsAt(place)).toEqual(expected);
  },
);

/** One process runs through all of it. */
async function withServerAway(place: Place, lanes: Lane[]): Promise<number[][]> {
  const proxy = startTcpProxy(targetOf(place.url!));
  const service = await startService({ ...place, url: throughProxy(place.url!, proxy) }, SECRETS);
  const tries: number[][] = [];
  await sendAll(lanes, async (sent) => {
    tries.push(await sendUntilTaken(() => service.url, sent));
    if (tries.length !== SUBJECTS) return;
    proxy.refuse();
    setTimeout(() => proxy.accept(), OUTAGE_MS);
  });
  expect(await service.stop()).toBe(0);
  proxy.close();
  return tries;
}

async function withEngineDead(place: Place, lanes: Lane[]): Promise<number[][]> {
  let service = await startService(place, SECRETS);
  const tries: number[][] = [];
  await sendAll(lanes, async (sent) => {
    tries.push(await sendUntilTaken(() => service.url, sent));
    if (tries.length !== SUBJECTS) return;
    // This is a message that no client sends. The engine answers FATAL and can't be used any more.
    const socket = await Deno.connect({ transport: "unix", path: `${place.dataDir}/db.sock` });
    await socket.write(new Uint8Array(["z".charCodeAt(0), 0, 0, 0, 4]));
    expect(await service.ended()).toBe(70);
    socket.close();
    service = await startService(place, SECRETS);
  });
  expect(await service.stop()).toBe(0);
  return tries;
}
