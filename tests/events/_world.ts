import { afterAll, beforeAll } from "vitest";
import { type TestProject, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { until } from "../until.ts";

export const harness = useHarness();
export const project: TestProject = useProject(harness);

/** By the project's admin. */
export function call(method: string, path: string, body?: Record<string, unknown>) {
  return harness.now.call(method, path, { token: project.admin.token, body });
}

/** Waits until everything that was committed has its number; answers the last one. */
export async function settled(): Promise<number> {
  const { sql } = harness.now;
  await until(async () => (await sql`select from event_outbox`).length === 0);
  const [{ last_seq }] = await sql<[{ last_seq: number }]>`select last_seq from event_counter`;
  return last_seq;
}

/** The app behind a real socket, where a client's leaving is felt. */
export function useServer(): { readonly url: string } {
  let server: Deno.HttpServer<Deno.NetAddr> | undefined;
  beforeAll(() => {
    server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => harness.now.fetch(request),
    );
  });
  afterAll(async () => await server?.shutdown());
  return {
    get url() {
      return `http://127.0.0.1:${server!.addr.port}`;
    },
  };
}
