import { beforeAll, expect } from "vitest";
import { makeProject, makeTicket, type TestProject, type TestTicket } from "../factories.ts";
import { type CallOptions, useHarness } from "../harness.ts";

/**
 * A project for the tests of one file, and calls about its tasks. `world.ticket` is the ticket that was created
 * last.
 */
export function useTasks() {
  const harness = useHarness();

  const world = {} as { project: TestProject; ticket: TestTicket };
  beforeAll(async () => {
    world.project = await makeProject(harness.now);
  });

  /** Makes a call as the project's admin, who may do everything with its tasks. */
  function call(
    method: string,
    path: string,
    body?: Record<string, unknown>,
    options: CallOptions = {},
  ) {
    const { token } = world.project.admin;
    return harness.now.call(method, path, { token, body, ...options });
  }

  /** Makes a ticket with tasks of these titles, and returns their ids. */
  async function newTicket(...titles: string[]): Promise<string[]> {
    world.ticket = await makeTicket(harness.now, world.project);
    const ids: string[] = [];
    for (const title of titles) ids.push(await add(title));
    return ids;
  }

  async function add(title: string, fields: Record<string, unknown> = {}): Promise<string> {
    const body = { title, role: "backend", ...fields };
    const answer = await call("POST", `${world.ticket.path}/tasks`, body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body.id;
  }

  function patch(id: string, body: Record<string, unknown>, options: CallOptions = {}) {
    return call("PATCH", `${world.ticket.path}/tasks/${id}`, body, options);
  }

  async function list() {
    return (await call("GET", `${world.ticket.path}/tasks`)).body.tasks;
  }

  /** Returns the titles by their sequence, which is dense from 1. */
  async function order(): Promise<string[]> {
    const tasks = await list();
    expect(tasks.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
      tasks.map((_: unknown, index: number) => index + 1),
    );
    return tasks.map(({ title }: { title: string }) => title);
  }

  return { harness, world, call, newTicket, add, patch, list, order };
}
