import { beforeAll, describe, expect, test } from "vitest";
import { type QueueName, QUEUES } from "../../src/core/queue.ts";
import { type PublishedProcedure, publishedProcedures } from "../../src/http/procedures.ts";
import {
  makeKey,
  makeMember,
  makeTicket,
  type TestTicket,
  type TestUser,
  ticketInput,
  useProject,
} from "../factories.ts";
import { type Answer, useHarness } from "../harness.ts";
import { Document } from "../http/document.ts";
import { Largest } from "../largest_input.ts";
import { makeLargestRows } from "../largest_rows.ts";

// Somebody does everything that is allowed and costs much, again and again, while a colleague in
// the same project does a ticket's work. Each call of the colleague must succeed.
const harness = useHarness();
const project = useProject(harness);

const WAITS = 200;
const STREAMS = 50;

/** They would end the caller's own session, or wait without a need. */
const LEFT_OUT = ["auth.logout", "auth.endSession", "auth.changePassword", "keys.revoke"];

const attempts = publishedProcedures().filter(({ name, meta }) =>
  ["viewer", "member", "user", "public"].includes(meta.access) && !LEFT_OUT.includes(name)
);

let params: Record<string, string>;
let document: Document;
let largest: Largest;
beforeAll(async () => {
  ({ params } = await makeLargestRows(harness.now, project));
  document = await Document.of(harness.now);
  largest = new Largest(document.json.components.schemas);
});

/** The largest call that the procedure takes, about a ticket that the colleague doesn't work on. */
async function attempt({ meta, input }: PublishedProcedure, token: string): Promise<number> {
  const path = meta.path.replace(
    /\{(\w+)\}/g,
    (_, name: string) =>
      name === "id" ? project.id : name === "role" ? "qa" : params[name] ?? project.admin.id,
  );
  const body = document.json.paths[meta.path]?.[meta.method.toLowerCase()]?.requestBody
    ?.content["application/json"];
  const query = "limit" in input.shape ? "?limit=100" : "";
  const response = await harness.now.request(
    meta.method,
    `/api${path}${meta.method === "GET" ? query : ""}`,
    {
      token,
      ...(body && { body: largest.of(body.schema) }),
    },
  );
  await response.arrayBuffer();
  return response.status;
}

/** Makes calls that no schema describes: many at once, names of people, the same again and again. */
async function strain(user: TestUser, ticket: TestTicket, colleague: TestUser): Promise<void> {
  const { token } = user;
  const call = (method: string, path: string, body?: unknown) =>
    harness.now.call(method, path, { token, body });
  const mention = `@[Colleague](${colleague.id}) `;
  await call("POST", `${ticket.path}/comments`, { body: mention + "\u0001".repeat(9_000) });
  await call("POST", `${ticket.path}/questions`, {
    prompt: "?".repeat(5_000),
    context: `x${"\u0001".repeat(9_999)}`,
    addressee: { user_id: colleague.id },
  });
  await call("POST", `${project.path}/tickets/bulk`, {
    action: "move",
    stage: "up_next",
    ticket_ids: Array(1_000).fill(params["ticketId"]),
  });
  await call("GET", `${project.path}/export`);
  await call("GET", `${project.path}/tickets?q=${encodeURIComponent("a or ".repeat(39) + "b")}&limit=100`);
  const tasks = `/api${project.path}/tickets/${params["ticketId"]}/tasks`;
  // Each is read as it comes, because an answer that nobody reads for a minute is given up.
  const list = async () => await (await harness.now.request("GET", tasks, { token })).arrayBuffer();
  await Promise.all(Array.from({ length: 40 }, list));
  const names = Array(20).fill("comments.list").join(",");
  const input = { json: { id: project.id, ticketId: params["ticketId"] } };
  const batch = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [at, input]));
  await (await harness.now.request("POST", `/trpc/${names}?batch=1`, { token, body: batch })).arrayBuffer();
}

/** A question with many waiters, and streams that nobody reads. The result ends them. */
async function occupy(user: TestUser): Promise<() => Promise<void>> {
  const { token } = user;
  const ticket = await makeTicket(harness.now, project);
  const { body } = await harness.now.call("POST", `${ticket.path}/questions`, {
    token,
    body: { prompt: "When?" },
  });
  const question = `${ticket.path}/questions/${body.id}`;
  const waits = Array.from(
    { length: WAITS },
    () => harness.now.call("GET", `${question}?wait=50`, { token }),
  );
  const streams = await Promise.all(
    Array.from(
      { length: STREAMS },
      () => harness.now.request("GET", "/api/events/stream?after=0", { token }),
    ),
  );
  return async () => {
    await harness.now.call("POST", `${question}/withdraw`, { token, body: {} });
    await Promise.all(waits);
    // The service has given up a stream that nobody read for a minute.
    await Promise.allSettled(streams.map(({ body }) => body?.cancel()));
  };
}

/** The whole work on one ticket. Each call must succeed. */
class Life {
  readonly calls: string[] = [];
  readonly #colleague: TestUser;
  readonly #agent: { token: string };

  constructor(colleague: TestUser, agent: { token: string }) {
    this.#colleague = colleague;
    this.#agent = agent;
  }

  async #done(method: string, path: string, body?: unknown, { token }: { token: string } = this.#colleague) {
    const answer: Answer = await harness.now.call(method, path, {
      token,
      ...(body !== undefined && { body }),
    });
    this.calls.push(`${method} ${answer.status}`);
    if (answer.status >= 300) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  async live(): Promise<void> {
    const { path, id, ref } = await this.#create();
    await this.#talk(path);
    await this.#work(path);
    await this.#test(path);
    await this.#read(path, ref);
    await this.#done("POST", `${path}/roles/qa/start`);
    await this.#done("POST", `${path}/roles/qa/finish`);
    await this.#done("POST", `${project.path}/tickets/bulk`, { action: "close", ticket_ids: [id] });
    await this.#done("PATCH", path, { stage: "validation" });
    await this.#done("PATCH", path, { status: "closed", resolution_type: "completed" });
  }

  async #create() {
    const body = ticketInput({ roles: ["qa"], idempotency_key: crypto.randomUUID() });
    const { ticket } = await this.#done("POST", `${project.path}/tickets`, body);
    await this.#done("POST", `${project.path}/tickets`, body);
    const path = `${project.path}/tickets/${ticket.id}`;
    await this.#done("PATCH", path, { title: "Of the colleague", stage: "up_next" });
    await this.#done("PUT", `${path}/watch`, {});
    return { path, id: ticket.id, ref: ticket.ticket_ref };
  }

  async #talk(path: string): Promise<void> {
    const { id: comment } = await this.#done("POST", `${path}/comments`, { body: "Look" });
    await this.#done("POST", `${path}/comments`, { body: "There", parent_id: comment });
    await this.#done("POST", `${path}/comments/${comment}/resolve`);
    const { id } = await this.#done("POST", `${path}/questions`, { prompt: "Which?" }, this.#agent);
    const waiting = this.#done("GET", `${path}/questions/${id}?wait=50`, undefined, this.#agent);
    await this.#done("POST", `${path}/questions/${id}/answer`, { text: "This" });
    expect((await waiting).status).toBe("answered");
  }

  async #work(path: string): Promise<void> {
    const { id } = await this.#done("POST", `${path}/tasks`, { title: "One", role: "qa" });
    const { id: second } = await this.#done("POST", `${path}/tasks`, { title: "Two", role: "qa" });
    await this.#done("POST", `${path}/tasks/reorder`, { task_ids: [second, id] });
    for (const task of [id, second]) {
      await this.#done("POST", `${path}/tasks/${task}/claim`, {}, this.#agent);
      await this.#done("POST", `${path}/tasks/${task}/heartbeat`, {}, this.#agent);
      await this.#done("PATCH", `${path}/tasks/${task}`, { status: "done" }, this.#agent);
    }
    const { id: run } = await this.#done("POST", `${path}/agent-runs`, {
      agent_id: `bc_${crypto.randomUUID()}`,
    });
    await this.#done("POST", `${path}/agent-runs/${run}/end`, {});
  }

  async #test(path: string): Promise<void> {
    const { id } = await this.#done("POST", `${path}/test-cases`, { title: "Try", instruction: "Look." });
    await this.#done("POST", `${path}/test-cases/${id}/reject`, { note: "No" });
    await this.#done("POST", `${path}/test-cases/${id}/approve`, {});
  }

  async #read(path: string, ref: string): Promise<void> {
    for (const part of ["", "/history", "/comments", "/questions", "/tasks", "/test-cases", "/agent-runs"]) {
      await this.#done("GET", `${path}${part}`);
    }
    for (
      const list of [
        `tickets?q=${ref}`,
        "tickets",
        "tickets/counts",
        "tasks?limit=100",
        "test-cases",
        "people",
      ]
    ) {
      await this.#done("GET", `${project.path}/${list}`);
    }
    for (
      const own of ["inbox", "inbox/count", "waiting", "events?limit=100", "auth/me", "projects", "keys"]
    ) {
      await this.#done("GET", `/${own}`);
    }
    await this.#done("POST", "/inbox/read", { ticket_ids: [path.split("/").at(-1)] });
  }
}

describe.each(["viewer", "member"] as const)("what a %s may do", (role) => {
  test("makes nothing of a colleague's fail", async () => {
    const other = await makeMember(harness.now, project, role);
    const colleague = await makeMember(harness.now, project, "member");
    const life = new Life(colleague, await makeKey(harness.now, colleague));
    const ticket = await makeTicket(harness.now, project);
    const free = await occupy(role === "member" ? other : project.admin);
    let over = false;
    const statuses: number[] = [];
    const hostile = async () => {
      do {
        for (const procedure of attempts) {
          statuses.push(await attempt(procedure, other.token));
          if (over) break;
        }
        await strain(other, ticket, colleague);
      } while (!over);
    };
    const attack = Promise.all([hostile(), hostile()]);
    try {
      for (let time = 0; time < 3; time++) await life.live();
    } finally {
      over = true;
      await attack;
      await free();
    }
    expect(life.calls).toHaveLength(150);
    const done = statuses.filter((status) => status < 300);
    expect(done.length / statuses.length).toBeGreaterThan(0.3);
  });
});

test("and what all of it left for the jobs is done without a failure", async () => {
  for (const name of Object.keys(QUEUES) as QueueName[]) await harness.now.work(name);
  const failed = await harness.now.sql`
    select name, output from pgboss.job where state in ('retry', 'failed') and output is not null`;
  expect(failed).toEqual([]);
});
