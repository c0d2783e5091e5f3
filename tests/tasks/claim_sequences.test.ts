import fc from "fast-check";
import { v7 as uuid } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { systemContext } from "../../src/core/context.ts";
import { endLeases } from "../../src/tasks/end_leases.ts";
import { serverUrl } from "../database.ts";
import { makeKey, makeMember, makeProject, makeTicket, type TestProject } from "../factories.ts";
import { type Answer, type Harness, useHarness } from "../harness.ts";
import { startService } from "../service_process.ts";
import { type Act, AGENTS, FREE, KINDS, lapse, type Model, steps, sweeps } from "./_claims_model.ts";

const TASKS = 2;
const RUNS = 1_000;
/** The sequences that run at the same time. */
const AT_ONCE = 4;
/** The service is killed after this many calls, again and again. */
const CALLS_OF_A_LIFE = 800;

const first = useHarness({});

/** The service that the agents call, which is killed and starts again. */
interface Service {
  /** Its database, and its jobs. */
  harness: Harness;
  /** The call fails if the service ends before it answers. */
  call: Harness["call"];
  /** Kills it and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

async function inProcess(): Promise<Service> {
  const { place } = first.now;
  let process = await startService(place, { JOBS: "off" });
  return {
    harness: first.now,
    call: (method, path, { body, token } = {}) =>
      process.call(method, `/api${path}`, { body, headers: { authorization: `Bearer ${token}` } }),
    async crash() {
      process.kill("SIGKILL");
      await process.ended();
      process = await startService(place, { JOBS: "off" });
    },
    stop: async () => void await process.stop(),
  };
}

/** The embedded database ends with its process, which is the one of the tests, so it isn't killed here. */
function inThisProcess(): Service {
  return {
    harness: first.now,
    call: (...call) => first.now.call(...call),
    crash: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
}

let service: Service;
/** Ends when the service is there again. */
let restarted = Promise.resolve();
let project: TestProject;
let keys: Record<(typeof AGENTS)[number]["key"], { id: string; token: string }>;
beforeAll(async () => {
  project = await makeProject(first.now);
  const member = () => makeMember(first.now, project, "member");
  const [ann, ben] = [await member(), await member()];
  keys = {
    "ann's": await makeKey(first.now, ann),
    "ann's other": await makeKey(first.now, ann),
    "ben's": await makeKey(first.now, ben),
  };
  service = serverUrl ? await inProcess() : inThisProcess();
  return () => service.stop();
});

let calls = 0;

/** Makes a call, or returns null when the service was killed before it answered. */
async function call(...[method, path, options]: Parameters<Harness["call"]>): Promise<Answer | null> {
  await restarted;
  if (++calls % CALLS_OF_A_LIFE === 0) restarted = service.crash();
  try {
    return await service.call(method, path, options);
  } catch {
    await restarted;
    return null;
  }
}

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(...KINDS),
  agent: fc.nat(AGENTS.length - 1),
  task: fc.nat(TASKS - 1),
});

type Happening =
  | { what: "act"; act: Act; answerIsLost: boolean }
  | { what: "two at once"; acts: [Act, Act] }
  | { what: "lapse"; task: number }
  | { what: "sweep" };

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ what: fc.constant("act" as const), act, answerIsLost: fc.constant(false) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant("act" as const), act, answerIsLost: fc.constant(true) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant("two at once" as const),
      acts: fc.tuple(act, act).filter(([a, b]) => a.agent !== b.agent),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("lapse" as const), task: fc.nat(TASKS - 1) }) },
  { weight: 2, arbitrary: fc.constant({ what: "sweep" as const }) },
);

interface Ticket {
  path: string;
  id: string;
  tasks: string[];
}

async function newTicket(): Promise<Ticket> {
  await restarted;
  const { id, path } = await makeTicket(service.harness, project);
  const tasks = Array.from({ length: TASKS }, () => uuid());
  await service.harness.sql`
    with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
    insert into tasks (id, ticket_id, project_id, sequence, title, role)
    select t, ${id}::uuid, ${project.id}::uuid, place, 'Task', 'qa'
    from author, unnest(${tasks}::uuid[]) with ordinality as t (t, place)`;
  return { path, id, tasks };
}

const CHANGES: Partial<Record<Act["kind"], Record<string, unknown>>> = {
  start: { status: "in_progress" },
  finish: { status: "done" },
  block: { status: "blocked", blocking_reason: "Waits" },
  reopen: { status: "pending" },
};

/** Lets an agent act, and returns the outcome in the model's words, or null when its answer is lost. */
async function send(ticket: Ticket, { kind, agent, task }: Act): Promise<string | null> {
  const { key, name } = AGENTS[agent]!;
  const at = `${ticket.path}/tasks/${ticket.tasks[task]}`;
  const changes = kind === "report" ? { summary: `Agent ${agent}` } : CHANGES[kind];
  const verb = kind === "beat" ? "heartbeat" : kind;
  const answer = await call(
    changes ? "PATCH" : "POST",
    changes ? at : kind === "next" ? `${project.path}/tasks/claim` : `${at}/${verb}`,
    {
      token: keys[key].token,
      body: { ...changes, ...(kind === "next" && { ticket_id: ticket.id }), session_id: name },
    },
  );
  if (!answer) return null;
  const { status, body } = answer;
  if (status === 503) return null;
  if (status >= 400) {
    return body.code === "already_claimed"
      ? `${body.code}, ${body.details.yours ? "yours" : "another's"}`
      : body.code;
  }
  if (kind !== "next") return "ok";
  return body.claimed ? `task ${ticket.tasks.indexOf(body.claimed.id)}` : "none";
}

/** Returns the models that are possible after an act with this outcome; null stands for any outcome. */
function after(models: Model[], act: Act, outcome: string | null, alone = true): Model[] {
  return models.flatMap(sweeps).flatMap((model) => {
    const taken = steps(model, act, { alone }).filter((step) => outcome === null || step.outcome === outcome)
      .map(({ model }) => model);
    return outcome === null ? [model, ...taken] : taken;
  });
}

/** An agent that gets no answer makes its call again, until it gets one. */
async function insist(ticket: Ticket, models: Model[], act: Act): Promise<Model[]> {
  const outcome = await send(ticket, act);
  const left = after(models, act, outcome);
  expect(left, `${JSON.stringify(act)} had the outcome ${outcome}`).not.toEqual([]);
  return outcome === null ? await insist(ticket, left, act) : left;
}

async function happen(ticket: Ticket, models: Model[], one: Happening): Promise<Model[]> {
  switch (one.what) {
    case "act": {
      if (!one.answerIsLost) return await insist(ticket, models, one.act);
      await send(ticket, one.act);
      return await insist(ticket, after(models, one.act, null), one.act);
    }
    case "two at once": {
      const { acts: [a, b] } = one;
      const [ofA, ofB] = await Promise.all([send(ticket, a), send(ticket, b)]);
      let left = [
        ...after(after(models, a, ofA, false), b, ofB, false),
        ...after(after(models, b, ofB, false), a, ofA, false),
      ];
      expect(left, `${JSON.stringify([a, ofA, b, ofB])}`).not.toEqual([]);
      if (ofA === null) left = await insist(ticket, left, a);
      return ofB === null ? await insist(ticket, left, b) : left;
    }
    case "lapse":
      await restarted;
      await service.harness.sql`
        with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
        update tasks set lease_expires_at = now() - interval '1 minute' from author
        where id = ${ticket.tasks[one.task]!}::uuid and lease_expires_at is not null`;
      return models.flatMap(sweeps).map((model) => lapse(model, one.task));
    case "sweep":
      await restarted;
      await endLeases(systemContext(service.harness.services, { kind: "job", id: "end-leases" }, "test"));
      // Another sequence's sweep may hold the row at this moment, which this one then passes over.
      return models.flatMap(sweeps);
  }
}

/** The model's tasks as their rows. */
const rowsOf = (model: Model) =>
  model.map(({ status, holder, reportOf }) => {
    const { key, name } = AGENTS[holder ?? 0]!;
    return {
      status,
      name: holder === null ? null : name ?? keys[key].id,
      key: holder === null ? null : keys[key].id,
      summary: reportOf === null ? null : `Agent ${reportOf}`,
    };
  });

async function live(happenings: Happening[]): Promise<void> {
  const ticket = await newTicket();
  let models: Model[] = [Array.from({ length: TASKS }, () => FREE)];
  for (const one of happenings) {
    const left = await happen(ticket, models, one);
    models = [...new Map(left.map((model) => [JSON.stringify(model), model])).values()];
    await restarted;
    const rows = await service.harness.sql`
      select status, assignee_session_id as name, claimed_with as key, summary from tasks
      where ticket_id = ${ticket.id}::uuid order by sequence`;
    // Two agents hold no task, and a report is its holder's, because the rows are those of one of the models.
    models = models.flatMap(sweeps).filter((model) =>
      JSON.stringify(rowsOf(model)) === JSON.stringify([...rows])
    );
    expect(models, `after ${JSON.stringify(one)} the tasks are ${JSON.stringify(rows)}`).not.toEqual([]);
  }
}

test("in any sequence of calls, lost answers, ended leases and crashes a task has one holder, who alone reports", async () => {
  const sequences = fc.array(fc.array(happening, { minLength: 3, maxLength: 10, size: "max" }), {
    minLength: AT_ONCE,
    maxLength: AT_ONCE,
  });
  await fc.assert(
    fc.asyncProperty(sequences, async (many) => void await Promise.all(many.map(live))),
    { numRuns: RUNS / AT_ONCE },
  );
  expect(calls).toBeGreaterThan(2 * CALLS_OF_A_LIFE);
});
