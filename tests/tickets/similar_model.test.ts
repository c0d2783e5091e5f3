import { afterAll, describe, expect, test, vi } from "vitest";
import type { Embedder } from "../../src/embedding/embedder.ts";
import { startEmbedder } from "../../src/embedding/start.ts";
import { makeProject, ticketInput } from "../factories.ts";
import { openHarness, useHarness } from "../harness.ts";
import { until } from "../until.ts";

const MODEL = new URL("../../models/all-MiniLM-L6-v2/", import.meta.url);
const model = startEmbedder({ threads: 1, modelDir: MODEL });
/**
 * Waits for the model longer than the service does: on a loaded machine a text may take more than
 * two seconds.
 */
const embedder: Embedder = {
  state: () => model.state(),
  embed: (text, options) => model.embed(text, { ...options, timeoutMs: 60_000 }),
  close: () => model.close(),
};
afterAll(() => embedder.close());
const harness = useHarness({ embedder, env: { EMBEDDING_THREADS: "1" } });

const UPLOAD = {
  title: "Upload fails for files over 2 GB",
  description: "The upload stops at 2,147,483,647 bytes and the browser shows a network error.",
};
const PARAPHRASE = {
  title: "Cannot upload large files",
  description:
    "When a file is bigger than 2 GB the upload breaks off and the browser reports a network error.",
};
const UNRELATED = {
  title: "Dark mode for the settings page",
  description: "People who work at night ask for darker colours on the settings page.",
};

test("the real model finds what says the same in other words, and not what speaks of something else", async () => {
  const project = await makeProject(harness.now);
  const post = (path: string, body: Record<string, unknown>) =>
    harness.now.call("POST", `${project.path}${path}`, { token: project.admin.token, body });
  const first = await post("/tickets", ticketInput(UPLOAD));
  expect(first.body.similar_existing).toEqual([]);
  expect((await post("/tickets", ticketInput(UNRELATED))).body.similar_existing).toEqual([]);

  const asked = await post("/tickets/similar", PARAPHRASE);
  const second = await post("/tickets", ticketInput(PARAPHRASE));
  expect(second.body.similar_existing).toEqual(asked.body.similar_existing);
  expect(second.body.similar_existing).toEqual([{
    ticket_ref: first.body.ticket.ticket_ref,
    title: UPLOAD.title,
    similarity: expect.any(Number),
    status: "open",
    stage: "backlog",
  }]);
  const { similarity } = second.body.similar_existing[0];
  const cosine = await cosineOf(UPLOAD, PARAPHRASE);
  expect(similarity).toBeGreaterThanOrEqual(0.65);
  expect(Math.abs(similarity - cosine)).toBeLessThan(0.0002);
});

async function cosineOf(one: typeof UPLOAD, other: typeof UPLOAD): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map(({ title, description }) => embedder.embed(`${title}\n${description}`)),
  );
  return a!.reduce((sum, value, index) => sum + value * b![index]!, 0);
}

describe("a model that can't answer", () => {
  test("because it is missing costs the hint and nothing else", async () => {
    const missing = startEmbedder({ threads: 1, modelDir: "/nonexistent/model" });
    const broken = await openHarness({ embedder: missing, env: { EMBEDDING_THREADS: "1" } });
    try {
      const project = await makeProject(broken);
      const { token } = project.admin;
      const { status, body } = await broken.call("POST", `${project.path}/tickets`, {
        token,
        body: ticketInput(),
      });
      expect(status).toBe(201);
      expect(body).not.toHaveProperty("similar_existing");
      const [waiting] = await broken.sql`
        select count(*) as jobs from pgboss.job where name = 'embed-ticket' and data ->> 'ticket_id' = ${body.ticket.id}`;
      expect(waiting).toEqual({ jobs: 1 });
      expect((await broken.call("GET", `${project.path}/tickets/${body.ticket.id}`, { token })).status).toBe(
        200,
      );
    } finally {
      await broken.close();
    }
  });

  test("because it hangs is waited for two seconds and no longer", async () => {
    const workerUrl = new URL("../embedding/stub_worker.ts", import.meta.url);
    const hanging = startEmbedder({ threads: 1, modelDir: "", workerUrl });
    const slow = await openHarness({ embedder: hanging, env: { EMBEDDING_THREADS: "1" } });
    try {
      const project = await makeProject(slow);
      await until(() => hanging.state().state === "ready");
      // The stub obeys this text and never answers it, which keeps its only worker busy.
      void hanging.embed("hang", { timeoutMs: 60_000 });
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const answer = slow.call("POST", `${project.path}/tickets`, {
        token: project.admin.token,
        body: ticketInput(),
      });
      const stillWaits = async () => {
        expect(hanging.state().queued).toBe(1);
        // The service goes on answering at that time.
        expect((await slow.request("GET", "/healthz")).status).toBe(200);
      };
      await until(() => hanging.state().queued === 1);
      await stillWaits();
      vi.advanceTimersByTime(1_999);
      await stillWaits();
      vi.advanceTimersByTime(1);
      expect(hanging.state().queued).toBe(0);
      const { status, body } = await answer;
      expect(status).toBe(201);
      expect(body).not.toHaveProperty("similar_existing");
    } finally {
      vi.useRealTimers();
      await slow.close();
    }
  });
});
