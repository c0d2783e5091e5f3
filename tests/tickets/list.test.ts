import { beforeAll, describe, expect, test } from "vitest";
import { makeProject, makeTicket, type TestProject, type TestTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
let project: TestProject;
let made: TestTicket[];

const KINDS = [
  {
    title: "Upload of large files stops",
    priority: "high",
    request_type: "bug",
    roles: ["backend", "qa"],
    blocking: true,
  },
  {
    title: "Wording of the welcome page",
    priority: "low",
    request_type: "decision_needed",
    roles: ["design"],
  },
  { title: "Export to a spreadsheet", priority: "medium", request_type: "feature_request" },
];

beforeAll(async () => {
  project = await makeProject(harness.now, { repositories: ["Acme/One"] });
  made = [];
  for (let index = 0; index < 12; index++) {
    made.push(await makeTicket(harness.now, project, KINDS[index % 3]));
  }
});

function call(method: string, path: string, body?: Record<string, unknown>) {
  return harness.now.call(method, path, { token: project.admin.token, body });
}

async function refs(query: string): Promise<string[]> {
  const { status, body } = await call("GET", `${project.path}/tickets?${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.tickets.map(({ ticket_ref }: { ticket_ref: string }) => ticket_ref);
}

const numbers = (...list: number[]) => list.map((number) => `${project.key}-${number}`);

/** Reads page after page; `between` is done after each. */
async function walk(query: string, between = () => Promise.resolve<unknown>(undefined)): Promise<string[]> {
  const all: string[] = [];
  let cursor = "";
  do {
    const { body } = await call("GET", `${project.path}/tickets?${query}${cursor}`);
    all.push(...body.tickets.map(({ ticket_ref }: { ticket_ref: string }) => ticket_ref));
    cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : "";
    await between();
  } while (cursor);
  return all;
}

describe("the list of tickets", () => {
  test("filters by each field, and by several at once", async () => {
    await call("PATCH", made[0]!.path, { stage: "validation" });
    await call("PATCH", made[2]!.path, { stage: "live" });
    expect(await refs("stage=validation&sort=created_at")).toEqual(numbers(1));
    expect(await refs("status=closed")).toEqual(numbers(3));
    expect(await refs("status=open&stage=live")).toEqual([]);
    expect(await refs("role=design&sort=created_at")).toEqual(numbers(2, 5, 8, 11));
    expect(await refs("request_type=feature_request&status=open&sort=created_at")).toEqual(numbers(6, 9, 12));
    expect(await refs("priority=high&blocking=true&sort=created_at")).toEqual(numbers(1, 4, 7, 10));
    expect(await refs("priority=high&blocking=True&sort=created_at")).toEqual(numbers(1, 4, 7, 10));
    expect(await refs("blocking=false&role=qa")).toEqual([]);
  });

  test("finds the named tickets among those that the other filters find", async () => {
    const named = [made[1]!.id, made[3]!.id, made[4]!.id];
    expect(await refs(`ids=${named.join(",")}&sort=created_at`)).toEqual(numbers(2, 4, 5));
    expect(await refs(named.map((id) => `ids=${id}`).join("&") + "&role=design&sort=created_at"))
      .toEqual(numbers(2, 5));
    expect(await refs(`ids=${made[3]!.id.toUpperCase()}&q=large`)).toEqual(numbers(4));
    const stranger = await makeTicket(harness.now, await makeProject(harness.now));
    expect(await refs(`ids=${stranger.id}`)).toEqual([]);
    expect(await refs(`ids=${named.join(",")}&limit=1&sort=created_at`)).toEqual(numbers(2));
    const many = Array.from({ length: 101 }, () => crypto.randomUUID());
    for (const ids of ["", "HO-1", many.join(",")]) {
      const { status, body } = await call("GET", `${project.path}/tickets?ids=${ids}`);
      expect([status, body.code]).toEqual([400, "invalid_request"]);
    }
    expect(await refs(`ids=${many.slice(1).join(",")}`)).toEqual([]);
  });

  test("sorts by each field in both directions", async () => {
    const ascending = await refs("sort=created_at");
    expect(ascending).toEqual(numbers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    expect(await refs("")).toEqual(ascending.toReversed());
    await call("PATCH", made[4]!.path, { title: "Changed last" });
    expect((await refs("sort=-updated_at"))[0]).toBe(made[4]!.ref);
    expect((await refs("sort=updated_at")).at(-1)).toBe(made[4]!.ref);
    expect((await refs("sort=-priority")).slice(0, 4).toSorted()).toEqual(numbers(1, 10, 4, 7).toSorted());
    expect(await refs("sort=priority")).toEqual((await refs("sort=-priority")).toReversed());
  });

  test("finds words in title and description, refs, and exclusions", async () => {
    expect(await refs("q=uploading%20file&sort=created_at")).toEqual(numbers(1, 4, 7, 10));
    expect(await refs("q=spreadsheet%20-export")).toEqual([]);
    expect(await refs("q=%22large%20files%22&limit=1")).toHaveLength(1);
    expect(await refs(`q=${project.key.toLowerCase()}-7`)).toEqual(numbers(7));
    expect(await refs(`q=${project.key}-7%20large`)).toEqual(numbers(7));
    expect(await refs(`q=the%20${project.key}-7`)).toEqual(numbers(7));
    for (const quoted of [`${project.key}-7:`, `[${project.key}-7] large`, `"${project.key}-7"`]) {
      expect(await refs(`q=${encodeURIComponent(quoted)}`), quoted).toEqual(numbers(7));
    }
    expect(await refs(`q=${project.key}-7-large`)).toEqual([]);
    expect(await refs(`q=spreadsheet%20${project.key}-7`)).toEqual([]);
    expect(await refs(`q=files%20-${project.key}-7&sort=created_at`)).toEqual(numbers(1, 4, 10));
    expect(await refs("q=nowhere")).toEqual([]);
    expect(await refs("q=%27%20or%20%3A*%20%26%20%21")).toEqual([]);
    await call("PATCH", made[11]!.path, { description: "Now it speaks of giraffes." });
    expect(await refs("q=giraffe")).toEqual(numbers(12));
  });

  test("finds a ticket by its new title, and no more by the old one", async () => {
    const { ref, path } = await makeTicket(harness.now, project, { title: "Walruses are drawn twice" });
    await call("PATCH", path, { title: "Narwhals are drawn twice" });
    expect(await refs("q=narwhal")).toEqual([ref]);
    expect(await refs("q=walrus")).toEqual([]);
  });

  test("finds the parts of what programs write as one word", async () => {
    const { ref } = await makeTicket(harness.now, project, {
      title: "java.net.SocketServer fails in <AppHeader>",
      description:
        "See src/net/main.ts:12 and https://docs.example/guide?page=limits, since v1.2.3 with sockets-4.15.2.jar. " +
        "Mail ada@example.org.",
    });
    const found = [
      "SocketServer",
      "net.socketserver",
      "java.net.SocketServer.",
      "AppHeader",
      "<AppHeader>",
      "main.ts",
      "src/net/main.ts:12",
      "guide limits",
      "https://docs.example/guide",
      "v1.2.3",
      "4.15.2",
      "sockets-4.15.2",
      "socket 4.15",
      '"socketserver fails"',
      "ada@example.org",
    ];
    for (const words of found) expect(await refs(`q=${encodeURIComponent(words)}`), words).toEqual([ref]);
    const not = ["java.socketserver", "SocketServer -main.ts", "SocketServer -4.15", "1.3"];
    for (const words of not) expect(await refs(`q=${encodeURIComponent(words)}`), words).toEqual([]);
  });

  test.each([
    "-".repeat(33),
    `giraffe ${"-".repeat(60)}`,
    `giraffe${" -7".repeat(60)}`,
    "--giraffe",
    "giraffe - giraffe",
    "~giraffe",
  ])(
    "takes hyphens of a rule, of an option and of a dash for none, nor a tilde: %s",
    async (words) => {
      const found = await refs(`q=${encodeURIComponent(words)}`);
      expect(found).toEqual(words.includes("giraffe") ? numbers(12) : []);
    },
  );

  test("tells where a merged ticket is on its way", async () => {
    const one = made[7]!;
    const shipOf = async () => (await call("GET", one.path)).body.ship;
    const { sql } = harness.now;
    const stamp = (column: string, hours: number) =>
      sql`
        with author as materialized (select set_config('handoff.actor', '{"kind":"job","id":"test"}', true))
        update tickets set ${
        sql({ [column]: new Date(Date.now() + hours * 3_600_000).toISOString() })
      } from author
        where id = ${one.id}::uuid`;
    const steps: [string, () => PromiseLike<unknown>][] = [
      ["none", () => Promise.resolve()],
      ["merged", () => call("PATCH", one.path, { merge_sha: "c".repeat(40) })],
      ["waiting", () => sql`insert into deploy_reports (repo) values ('acme/one')`],
      ["deploy_failed", () => stamp("deploy_failed_at", 1)],
      ["deployed", () => stamp("deployed_at", 2)],
    ];
    for (const [ship, happen] of steps) {
      await happen();
      expect(await shipOf()).toBe(ship);
      for (const [other] of steps) {
        expect((await refs(`ship=${other}`)).includes(one.ref), `${other} when ${ship}`).toBe(other === ship);
      }
    }
  });

  test("comes in pages that hold each ticket once, in every order, also when others are created in between", async () => {
    const before = await refs("sort=created_at");
    for (const sort of ["created_at", "-created_at", "priority", "-priority", "updated_at", "-updated_at"]) {
      const late: string[] = [];
      const seen = await walk(`sort=${sort}&limit=5`, async () => {
        if (late.length < 2) late.push((await makeTicket(harness.now, project)).ref);
      });
      expect(new Set(seen).size, sort).toBe(seen.length);
      expect(before.filter((ref) => !seen.includes(ref)), sort).toEqual([]);
    }
  });

  test("comes in whole pages by priority too when a role or words choose", async () => {
    for (const query of ["role=qa", "q=files"]) {
      for (const sort of ["priority", "-priority"]) {
        const all = await refs(`${query}&sort=${sort}`);
        expect(all.length).toBeGreaterThan(3);
        expect(await walk(`${query}&sort=${sort}&limit=1`), `${query} ${sort}`).toEqual(all);
      }
    }
  });

  test("refuses unknown values, limits out of bounds and cursors that nobody gave out", async () => {
    const made = (values: unknown) => btoa(JSON.stringify(values)).replaceAll("=", "").replaceAll("+", "-");
    const id = project.id;
    const wrong = [
      "stage=done",
      "status=all",
      "role=boss",
      "ship=lost",
      "blocking=yes",
      "sort=title",
      "limit=0",
      "limit=201",
      "q=",
      "colour=red",
      `cursor=${made(["-created_at", "2020-01-01T00:00:00.000Z", "x"])}`,
      `cursor=${made(["-created_at", "yesterday", id])}`,
      `cursor=${made(["-created_at", 1, id])}`,
      `cursor=${made(["created_at", "2020-01-01T00:00:00.000Z", id])}`,
      `cursor=${made({})}`,
      "cursor=AAAA",
    ];
    for (const query of wrong) {
      const { status, body } = await call("GET", `${project.path}/tickets?${query}`);
      expect([status, Object.keys(body.fieldErrors)], query).toEqual([400, [query.split("=")[0]]]);
    }
    const other = await call(
      "GET",
      `${project.path}/tickets?sort=priority&cursor=${made(["priority", 2 ** 40, id])}`,
    );
    expect(other.body).toEqual({ tickets: [], next_cursor: null });
  });
});
