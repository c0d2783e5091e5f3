import { beforeAll, describe, expect, test } from "vitest";
import { makeMember, makeTicket, type TestTicket, type TestUser, useProject } from "../factories.ts";
import { type Answer, useHarness } from "../harness.ts";

/** How often each race is run. */
const ROUNDS = 200;

const harness = useHarness();
const project = useProject(harness);
let people: TestUser[];
beforeAll(async () => {
  people = await Promise.all(Array.from({ length: 4 }, () => makeMember(harness.now, project, "member")));
});

function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return harness.now.call(method, path, { token: project.admin.token, headers, body });
}

/** Runs the rounds one after the other, each with a number. */
async function rounds(run: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await run(round);
}

async function withCase(): Promise<{ ticket: TestTicket; path: string }> {
  const ticket = await makeTicket(harness.now, project);
  const { body } = await call("POST", `${ticket.path}/test-cases`, { title: "Try", instruction: "Look." });
  return { ticket, path: `${ticket.path}/test-cases/${body.id}` };
}

function close(ticket: TestTicket, round: number): Promise<Answer> {
  return round % 2
    ? call("PATCH", ticket.path, { stage: "live" })
    : call("POST", `${project.path}/tickets/bulk`, { action: "close", ticket_ids: [ticket.id] });
}

function codeOf({ status, body }: Answer): string {
  return status >= 400 ? body.code : body.errors?.[0]?.code ?? "ok";
}

/** Both calls run at once. Sometimes the one begins first, sometimes the other. */
async function race(
  round: number,
  one: () => Promise<Answer>,
  other: () => Promise<Answer>,
): Promise<[Answer, Answer]> {
  if (round % 4 < 2) return await Promise.all([one(), other()]);
  const [second, first] = await Promise.all([other(), one()]);
  return [first, second];
}

describe("a race", () => {
  test(
    "of an approval against a move to live: it closes if it comes second, and stays open if it comes first",
    async () => {
      await rounds(async (round) => {
        const { ticket, path } = await withCase();
        const [approved, closed] = await race(
          round,
          () => call("POST", `${path}/approve`),
          () => close(ticket, round),
        );
        expect(approved.status).toBe(200);
        expect(["ok", "human_tests_pending"]).toContain(codeOf(closed));
        const { body } = await call("GET", ticket.path);
        expect(body.status).toBe(codeOf(closed) === "ok" ? "closed" : "open");
      });
    },
  );

  test("of an edit of an approved case against a move to live: one of them is done, never both", async () => {
    await rounds(async (round) => {
      const { ticket, path } = await withCase();
      await call("POST", `${path}/approve`);
      const [edited, closed] = await race(
        round,
        () => call("PATCH", path, { title: "Other" }),
        () => close(ticket, round),
      );
      const outcome = [codeOf(edited), codeOf(closed)];
      expect([["ok", "human_tests_pending"], ["conflict", "ok"]].map(String)).toContain(String(outcome));
    });
  });

  test("of a new role against a move to live: one of them is done, never both", async () => {
    await rounds(async (round) => {
      const ticket = await makeTicket(harness.now, project);
      const [added, closed] = await race(
        round,
        () => call("PATCH", ticket.path, { roles: ["qa"] }),
        () => close(ticket, round),
      );
      const outcome = [codeOf(added), codeOf(closed)];
      expect([["ok", "roles_incomplete"], ["conflict", "ok"]].map(String)).toContain(String(outcome));
    });
  });

  test("of 16 claimants of a task has one winner", async () => {
    const ticket = await makeTicket(harness.now, project);
    await rounds(async () => {
      const { body: task } = await call("POST", `${ticket.path}/tasks`, { title: "task", role: "qa" });
      const path = `${ticket.path}/tasks/${task.id}`;
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          harness.now.call("POST", `${path}/claim`, {
            token: people[index % people.length]!.token,
            body: { session_id: `agent ${index}` },
          })),
      );
      const [winner, ...others] = answers.filter(({ status }) => status === 200);
      expect(others).toEqual([]);
      expect(answers.filter((answer) => codeOf(answer) === "already_claimed")).toHaveLength(15);
      expect((await call("GET", path)).body).toEqual(winner!.body);
      await call("DELETE", path);
    });
  });

  test("of a reorder against a creation and a deletion leaves the sequence dense", async () => {
    await rounds(async (round) => {
      const ticket = await makeTicket(harness.now, project);
      const path = `${ticket.path}/tasks`;
      const ids: string[] = [];
      for (const title of ["a", "b", "c"]) {
        ids.push((await call("POST", path, { title, role: "qa" })).body.id);
      }
      const [[reordered, created], deleted] = await Promise.all([
        race(
          round,
          () => call("POST", `${path}/reorder`, { task_ids: ids.toReversed() }),
          () => call("POST", path, { title: "d", role: "qa" }),
        ),
        round % 3 ? undefined : call("DELETE", `${path}/${ids[0]}`),
      ]);
      expect([created.status, [200, 400].includes(reordered.status), deleted?.status ?? 204]).toEqual([
        201,
        true,
        204,
      ]);
      const { body } = await call("GET", path);
      const sequence = body.tasks.map((task: { sequence: number }) => task.sequence);
      expect(sequence).toEqual(deleted ? [1, 2, 3] : [1, 2, 3, 4]);
      if (reordered.status === 200 && !deleted) {
        expect(body.tasks.map((task: { id: string }) => task.id)).toEqual([
          ...ids.toReversed(),
          created.body.id,
        ]);
      }
    });
  });

  test("of two bulk calls in opposite order ends with all tickets where one of them put them", async () => {
    const tickets = await Promise.all(Array.from({ length: 12 }, () => makeTicket(harness.now, project)));
    const ids = tickets.map(({ id }) => id);
    const bulk = (ticket_ids: string[], stage: string) =>
      call("POST", `${project.path}/tickets/bulk`, { action: "move", ticket_ids, stage });
    await rounds(async (round) => {
      const answers = await race(
        round,
        () => bulk(ids, "up_next"),
        () => bulk(ids.toReversed(), "validation"),
      );
      for (const { status, body } of answers) expect([status, body.updated]).toEqual([200, ids.length]);
      const { body } = await call("GET", `${project.path}/tickets?stage=up_next&limit=200`);
      expect([0, ids.length]).toContain(
        body.tickets.filter(({ id }: { id: string }) => ids.includes(id)).length,
      );
    });
  });

  test(
    "of two changes with the same If-Match has one winner; the other gets the winner's ticket",
    async () => {
      const ticket = await makeTicket(harness.now, project);
      await rounds(async (round) => {
        const headers = { "If-Match": `"${round + 1}"` };
        const answers = await race(
          round,
          () => call("PATCH", ticket.path, { title: `Title ${round}` }, headers),
          () => call("PATCH", ticket.path, { title: `Another ${round}` }, headers),
        );
        const [won, lost] = answers.toSorted((a, b) => a.status - b.status);
        expect([won!.status, lost!.status, lost!.body.code]).toEqual([200, 412, "version_conflict"]);
        expect(lost!.body.details.current).toEqual(won!.body);
      });
    },
  );
});
