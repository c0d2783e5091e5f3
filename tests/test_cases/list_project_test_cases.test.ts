import { beforeAll, describe, expect, test } from "vitest";
import { makeMember, makeProject, makeTicket, type TestTicket, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);
let tickets: TestTicket[];

beforeAll(async () => {
  tickets = [await makeTicket(harness.now, project), await makeTicket(harness.now, project)];
  const [approved] = [await add(0, "approved"), await add(1, "pending")];
  const rejected = await add(0, "rejected");
  await add(1, "still pending");
  await call("POST", `${tickets[0]!.path}/test-cases/${approved}/approve`);
  await call("POST", `${tickets[0]!.path}/test-cases/${rejected}/reject`);
  const elsewhere = await makeTicket(harness.now, await makeProject(harness.now, { admin: project.admin }));
  await call("POST", `${elsewhere.path}/test-cases`, { title: "elsewhere", instruction: "Look." });
});

function call(method: string, path: string, body?: Record<string, unknown>, { token } = project.admin) {
  return harness.now.call(method, path, { token, body });
}

async function add(ticket: number, title: string): Promise<string> {
  const { body } = await call("POST", `${tickets[ticket]!.path}/test-cases`, { title, instruction: "Look." });
  return body.id;
}

async function list(query = "", user = project.admin) {
  const { status, body } = await call("GET", `${project.path}/test-cases?${query}`, undefined, user);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}
const titles = async (...args: Parameters<typeof list>) =>
  (await list(...args)).cases.map(({ title }: { title: string }) => title);

describe("the test cases of a project", () => {
  test("are those of all its tickets, oldest first, each with its ticket", async () => {
    const { cases, next_cursor } = await list();
    expect(next_cursor).toBeNull();
    expect(cases.map(({ title }: { title: string }) => title)).toEqual(
      ["approved", "pending", "rejected", "still pending"],
    );
    const { ticket_id, ticket_ref, ticket_status, ...second } = cases[1];
    expect([ticket_id, ticket_ref, ticket_status]).toEqual([tickets[1]!.id, tickets[1]!.ref, "open"]);
    expect((await call("GET", `${tickets[1]!.path}/test-cases/${second.id}`)).body).toEqual(second);
  });

  test("are filtered by their status", async () => {
    expect(await titles("status=pending")).toEqual(["pending", "still pending"]);
    expect(await titles("status=approved")).toEqual(["approved"]);
    expect(await titles("status=rejected")).toEqual(["rejected"]);
    const { status, body } = await call("GET", `${project.path}/test-cases?status=done`);
    expect([status, Object.keys(body.fieldErrors)]).toEqual([400, ["status"]]);
  });

  test("take one statement and are there for viewers, in an archived project too", async () => {
    const viewer = await makeMember(harness.now, project, "viewer");
    await list("", viewer);
    expect(await harness.now.count(() => list("status=pending", viewer))).toBe(1);
    await call("DELETE", project.path);
    expect(await titles("status=pending", viewer)).toEqual(["pending", "still pending"]);
    await call("PATCH", project.path, { archived: false });
  });

  test("come in pages that hold each once, also when others are added in between", async () => {
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await list(`status=pending&limit=1${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.cases.map(({ title }: { title: string }) => title));
      cursor = page.next_cursor;
      if (seen.length === 1) await add(0, "late");
    }
    expect(seen).toEqual(["pending", "still pending", "late"]);
  });
});
