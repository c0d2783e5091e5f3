import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, expect, inject, test } from "vitest";
import { randomOf } from "../../lab/random.ts";
import { copyTemplate, dropPlace, type Place, serverUrl } from "../database.ts";
import { makeKey, makeMember, makeProject, type TestProject, ticketInput } from "../factories.ts";
import { openHarnessAt } from "../harness.ts";
import { KilledService, type Said } from "../killed_service.ts";

/** The shuffles. The embedded database runs the same rules in one process, at many times the processor time. */
const SHUFFLES = serverUrl ? 100 : 12;
/** The shuffles that run at the same time, each in a project of its own. */
const AT_ONCE = 4;
/** The service is killed after this many calls, again and again. */
const CALLS_OF_A_LIFE = 300;
const AGENTS = 4;

/** For each of the fourteen tickets its parent, the tickets that block it, and its tasks. */
const GRAPH: readonly { parent?: number; waitsFor: number[]; tasks: number }[] = [
  { waitsFor: [], tasks: 1 },
  { parent: 0, waitsFor: [], tasks: 2 },
  { parent: 0, waitsFor: [1], tasks: 0 },
  { parent: 0, waitsFor: [1], tasks: 1 },
  { waitsFor: [2, 3], tasks: 1 },
  { waitsFor: [0], tasks: 0 },
  { parent: 5, waitsFor: [], tasks: 1 },
  { parent: 5, waitsFor: [4, 6], tasks: 1 },
  { waitsFor: [5], tasks: 2 },
  { waitsFor: [], tasks: 0 },
  { waitsFor: [8, 9], tasks: 1 },
  { waitsFor: [9], tasks: 0 },
  { waitsFor: [10, 11], tasks: 1 },
  { waitsFor: [7, 12], tasks: 1 },
];

let place: Place;
let service: KilledService;
let worlds: World[];

interface World {
  project: TestProject;
  /** The keys of the agents. */
  keys: string[];
}

beforeAll(async () => {
  place = await copyTemplate(inject("template"));
  const harness = await openHarnessAt(place);
  worlds = await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    const project = await makeProject(harness);
    const keys = await Promise.all(Array.from({ length: AGENTS }, async () => {
      const member = await makeMember(harness, project, "member");
      return (await makeKey(harness, member)).token;
    }));
    return { project, keys };
  }));
  await harness.stop();
  service = new KilledService(place);
  await service.started;
  return async () => {
    await service.stop();
    await dropPlace(place);
  };
});

/** A call that comes without a crash. */
async function make(project: TestProject, path: string, body: object): Promise<Said["body"]> {
  const answer = await service.insistOn("POST", `/api${project.path}${path}`, body, project.admin.token);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

/** Makes the tickets in a random order, with their links. Returns their ids in the order of the graph. */
async function draw(project: TestProject, random: () => number): Promise<string[]> {
  const ids: string[] = [];
  for (const at of shuffled([...GRAPH.keys()], random)) {
    ids[at] = (await make(project, "/tickets", ticketInput())).ticket.id;
    for (let task = 0; task < GRAPH[at]!.tasks; task++) {
      await make(project, `/tickets/${ids[at]}/tasks`, { title: `Task ${task}`, role: "backend" });
    }
  }
  const links = GRAPH.flatMap(({ waitsFor }, at) => waitsFor.map((blocker) => [at, blocker] as const));
  for (const [at, blocker] of shuffled(links, random)) {
    await make(project, `/tickets/${ids[at]}/links`, { kind: "blocked_by", ticket: ids[blocker] });
  }
  for (const at of shuffled([...GRAPH.keys()], random)) {
    const { parent } = GRAPH[at]!;
    if (parent === undefined) continue;
    await make(project, "/tickets/bulk", {
      action: "change",
      ticket_ids: [ids[at]],
      set: { parent_id: ids[parent] },
    });
  }
  return ids;
}

function shuffled<Each>(things: readonly Each[], random: () => number): Each[] {
  return things.map((thing) => ({ thing, place: random() })).toSorted((a, b) => a.place - b.place).map((
    { thing },
  ) => thing);
}

let calls = 0;
let kills = 0;

/** An agent's call. Each 300th finds the service killed. The answer is null if it is lost. */
async function call(
  { project, token }: Agent,
  method: string,
  path: string,
  body: object,
): Promise<Said | null> {
  if (++calls % CALLS_OF_A_LIFE === 0) {
    kills++;
    service.restart();
  }
  const answer = await service.call(method, `/api${project.path}${path}`, body, token);
  return answer?.status === 503 ? null : answer;
}

interface Agent {
  name: string;
  project: TestProject;
  token: string;
}

/** The knowledge that the agents of one shuffle share. */
interface Work {
  ids: string[];
  random: () => number;
  open: Set<string>;
  /** The tickets whose tasks are done, and that may wait for their children. */
  finished: Set<string>;
}

/** The task that the agent holds, because it may have got the task by an answer that was lost. */
async function held({ name }: Agent): Promise<{ id: string; ticket: string } | undefined> {
  const [task] = await service.sql(
    `select id, ticket_id as ticket from tasks where assignee_session_id = $1 and status = 'in_progress'`,
    name,
  );
  return task;
}

async function claim(work: Work, agent: Agent) {
  const { ids, random } = work;
  // Now and then an agent asks for a certain ticket, whether it may begin or not.
  const ticket = random() < 0.3 ? { ticket_id: ids[Math.floor(random() * ids.length)] } : {};
  const answer = await call(agent, "POST", "/tasks/claim", { session_id: agent.name, ...ticket });
  if (!answer) return await held(agent);
  expect([200, 409], JSON.stringify(answer.body)).toContain(answer.status);
  const { claimed } = answer.body;
  return claimed ? { id: claimed.id as string, ticket: claimed.handoff_request_id as string } : undefined;
}

/** Closes what is finished, and again what waited for a child that is closed by now. */
async function closeFinished({ finished, open, random }: Work, agent: Agent): Promise<void> {
  for (const ticket of shuffled([...finished], random)) {
    const answer = await call(agent, "PATCH", `/tickets/${ticket}`, { status: "closed" });
    if (!answer) continue;
    if (answer.status === 200) {
      finished.delete(ticket);
      open.delete(ticket);
    } else expect(answer.body.code, JSON.stringify(answer.body)).toBe("children_open");
  }
}

async function isLeft(ticket: string): Promise<boolean> {
  const [{ left }] = await service.sql(
    `select count(*)::integer as left from tasks where ticket_id = $1::uuid and status <> 'done'`,
    ticket,
  );
  return left > 0;
}

/** Claims, reports and closes until all is closed. */
async function finishAll(work: Work, agent: Agent): Promise<void> {
  while (work.open.size > 0) {
    const task = await held(agent) ?? await claim(work, agent);
    if (!task) {
      await closeFinished(work, agent);
      await pause(work.random() * 20);
      continue;
    }
    await pause(work.random() * 5);
    const report = { status: "done", session_id: agent.name };
    const answer = await call(agent, "PATCH", `/tickets/${task.ticket}/tasks/${task.id}`, report);
    // A lost answer may have come too late or too early, so the agent looks at what it holds.
    if (answer) {
      expect([answer.status, answer.body.status], JSON.stringify(answer.body)).toEqual([200, "done"]);
    } else if (await held(agent)) continue;
    if (!await isLeft(task.ticket)) work.finished.add(task.ticket);
    if (work.random() < 0.7) await closeFinished(work, agent);
  }
}

interface Told {
  ticket: string;
  action: string;
  at: number;
}

/** The claims, closings and releases in the history, in the order of its rows. */
async function told(ids: readonly string[]): Promise<Told[]> {
  return await service.sql(
    `select ticket_id as ticket, id::float8 as at, case when entity = 'task' then 'claimed'
        when action = 'unblocked' then 'unblocked' else 'closed' end as action
      from history where ticket_id = any ($1::uuid[]) and (
        entity = 'task' and (changes -> 'status' ->> 1 = 'in_progress' or action = 'created' and to_value ->> 'status' = 'in_progress')
        or entity = 'ticket' and (action = 'unblocked' or changes -> 'status' ->> 1 = 'closed'))
      order by id`,
    [...ids],
  );
}

async function run({ project, keys }: World, seed: number): Promise<void> {
  const random = randomOf(seed);
  const ids = await draw(project, random);
  const work = { ids, random, open: new Set(ids), finished: new Set<string>() };
  await Promise.all(
    keys.map((token, at) => finishAll(work, { name: `agent ${at} of ${project.key}`, project, token })),
  );
  const all = await told(ids);
  const first = (at: number, action: string) =>
    all.find((row) => row.ticket === ids[at] && row.action === action);
  GRAPH.forEach(({ parent, waitsFor }, at) => {
    const what = `ticket ${at} of shuffle ${seed}`;
    const of = (action: string) => all.filter((row) => row.ticket === ids[at] && row.action === action);
    expect(of("claimed").length, what).toBe(Math.max(1, GRAPH[at]!.tasks));
    expect(of("closed").length, what).toBe(1);
    expect(of("unblocked").length, what).toBe(waitsFor.length > 0 ? 1 : 0);
    const starts = first(at, "claimed")!.at;
    for (const blocker of waitsFor) expect(first(blocker, "closed")!.at, what).toBeLessThan(starts);
    if (parent === undefined) return;
    expect(first(at, "closed")!.at, what).toBeLessThan(first(parent, "closed")!.at);
  });
}

test("fourteen tickets run in an order that their links allow, however they are shuffled, and whenever the service dies", async () => {
  await Promise.all(worlds.map(async (world, at) => {
    for (let seed = at; seed < SHUFFLES; seed += AT_ONCE) await run(world, seed);
  }));
  expect(kills).toBeGreaterThan(SHUFFLES / 6);
});
