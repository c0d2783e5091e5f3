import { beforeAll, describe, expect, test } from "vitest";
import { makeMember, makeProject, makeTicket, type TestUser, useProject } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();
const project = useProject(harness);
let viewer: TestUser;

beforeAll(async () => {
  viewer = await makeMember(harness.now, project, "viewer");
  const stages = ["backlog", "backlog", "backlog", "up_next", "validation", "validation", "live"];
  for (const [index, stage] of stages.entries()) {
    const ticket = await makeTicket(harness.now, project, {
      title: index % 2 === 0 ? "Upload of large files stops" : "Wording of the welcome page",
      priority: index === 0 ? "high" : "low",
      blocking: index === 4,
      roles: stage === "validation" ? ["qa"] : [],
    });
    const { token } = project.admin;
    if (stage !== "backlog") await harness.now.call("PATCH", ticket.path, { token, body: { stage } });
  }
  await makeTicket(harness.now, await makeProject(harness.now, { admin: project.admin }));
});

async function count(query = "") {
  const { status, body } = await harness.now.call("GET", `${project.path}/tickets/counts?${query}`, viewer);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

describe("the number of tickets", () => {
  test("is told of each open stage", async () => {
    expect(await count()).toEqual({ stages: { backlog: 3, up_next: 1, in_progress: 0, validation: 2 } });
  });

  test("is what the list's filters leave", async () => {
    const none = { backlog: 0, up_next: 0, in_progress: 0, validation: 0 };
    const expected = {
      "priority=high": { ...none, backlog: 1 },
      "blocking=true": { ...none, validation: 1 },
      "role=qa": { ...none, validation: 2 },
      "request_type=bug&ship=none": { backlog: 3, up_next: 1, in_progress: 0, validation: 2 },
      "ship=deployed": none,
      "q=uploading": { ...none, backlog: 2, validation: 1 },
      [`q=${project.key}-4`]: { ...none, up_next: 1 },
    };
    for (const [query, stages] of Object.entries(expected)) {
      expect(await count(query), query).toEqual({ stages });
    }
  });

  test("takes no stage, order or page, which it is not about", async () => {
    for (const query of ["stage=backlog", "status=open", "sort=priority", "limit=1", "cursor=AAAA"]) {
      const { status, body } = await harness.now.call(
        "GET",
        `${project.path}/tickets/counts?${query}`,
        viewer,
      );
      expect([status, Object.keys(body.fieldErrors)], query).toEqual([400, [query.split("=")[0]]]);
    }
  });

  test("takes one statement", async () => {
    await count();
    expect(await harness.now.count(() => count("blocking=true"))).toBe(1);
  });

  test("is told of an archived project too", async () => {
    const before = await count();
    await harness.now.call("DELETE", project.path, { token: project.admin.token });
    expect(await count()).toEqual(before);
  });
});
