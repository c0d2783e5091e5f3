import fc from "fast-check";
import { v7 as uuid } from "uuid";
import { beforeAll, expect, inject, test } from "vitest";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { makeKey, makeMember, makeProject, type TestProject, ticketInput } from "../factories.ts";
import { openHarnessAt } from "../harness.ts";
import { KilledService } from "../killed_service.ts";
import { type Act, AGENTS, FREE, KINDS, lapse, type Model, steps, sweeps } from "./_claims_model.ts";

const TASKS = 2;
const RUNS = 1_000;
/** The sequences that run at the same time. */
const AT_ONCE = 4;
/** The service is killed after this many calls, again and again. */
const CALLS_OF_A_LIFE = 800;

/** The service that the agents call. It is killed and starts again over the same database. */
let service: KilledService;
let place: Place;
let project: TestProject;
let keys: Record<(typeof AGENTS)[number]["key"], { id: string; token: string }>;

beforeAll(async () => {
  place = await copyTemplate(inject("template"));
  const harness = await openHarnessAt(place);
  project = await makeProject(harness);
  const member = () => makeMember(harness, project, "member");
  const [ann, ben] = [await member(), await member()];
  keys = {
    "ann's": await makeKey(harness, ann),
    "ann's other": await makeKey(harness, ann),
    "ben's": await makeKey(harness, ben),
  };
  await harness.stop();
  service = new KilledService(place);
  await service.started;
  return async () => {
    await service.stop();
    await dropPlace(place);
  };
});

/** The agents' calls so far, of which every eight hundredth finds the service killed. */
let calls = 0;

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
  const { body: { ticket: { id } } } = await service.insistOn(
    "POST",
    `/api${project.path}/tickets`,
    ticketInput(),
    project.admin.token,
  );
  const tasks = Array.from({ length: TASKS }, () => uuid());
  await service.sql(
    `with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
    insert into tasks (id, ticket_id, project_id, sequence, title, role)
    select t, $1::uuid, $2::uuid, place, 'Task', 'qa'
    from author, unnest($3::uuid[]) with ordinality as t (t, place) on conflict (id) do nothing`,
    id,
    project.id,
    tasks,
  );
  return { path: `${project.path}/tickets/${id}`, id, tasks };
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
  if (++calls % CALLS_OF_A_LIFE === 0) service.restart();
  const answer = await service.call(
    changes ? "PATCH" : "POST",
    `/api${changes ? at : kind === "next" ? `${project.path}/tasks/claim` : `${at}/${verb}`}`,
    { ...changes, ...(kind === "next" && { ticket_id: ticket.id }), session_id: name },
    keys[key].token,
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
      await service.sql(
        `with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
        update tasks set lease_expires_at = now() - interval '1 minute' from author
        where id = $1::uuid and lease_expires_at is not null`,
        ticket.tasks[one.task],
      );
      return models.flatMap(sweeps).map((model) => lapse(model, one.task));
    case "sweep":
      await service.insistOn("POST", "/end-leases", {});
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
    const rows = await service.sql(
      `select status, assignee_session_id as name, claimed_with as key, summary from tasks
      where ticket_id = $1::uuid order by sequence`,
      ticket.id,
    );
    // Two agents hold no task, and a report is its holder's, because the rows are those of one of the models.
    models = models.flatMap(sweeps).filter((model) => JSON.stringify(rowsOf(model)) === JSON.stringify(rows));
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
