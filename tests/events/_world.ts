import { afterAll, beforeAll } from "vitest";
import { type TestProject, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { until } from "../until.ts";

/** A project for the tests of one file, and calls about its events. */
export function useEvents() {
  const harness = useHarness();
  const project: TestProject = useProject(harness);

  /** Makes a call as the project's admin. */
  function call(method: string, path: string, body?: Record<string, unknown>) {
    return harness.now.call(method, path, { token: project.admin.token, body });
  }

  /** Waits until every committed event has its number and the feed knows of it. Returns the last one. */
  async function settled(): Promise<number> {
    const { sql, services } = harness.now;
    await harness.now.numbered();
    const [{ last_seq }] = await sql<[{ last_seq: number }]>`select last_seq from event_counter`;
    await until(() => services.feed.last >= last_seq);
    return last_seq;
  }

  /** Serves the app on a real socket, so that it notices when a client leaves. */
  function useServer(): { readonly url: string } {
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

  return { harness, project, call, settled, useServer };
}
