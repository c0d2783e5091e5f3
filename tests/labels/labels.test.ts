import { describe, expect, test } from "vitest";
import { makeMember, makeProject, makeTicket } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

interface LabelledProject {
  path: string;
  admin: { token: string };
}

async function label(project: LabelledProject, name: string, token = project.admin.token) {
  const { status, body } = await harness.now.call("POST", `${project.path}/labels`, {
    token,
    body: { name },
  });
  expect(status).toBe(201);
  return body as { id: string; name: string; color: string };
}

async function labelsOf(project: LabelledProject, ticketId: string): Promise<string[]> {
  const { body } = await harness.now.call("GET", `${project.path}/tickets/${ticketId}`, {
    token: project.admin.token,
  });
  return body.labels.map(({ name }: { name: string }) => name);
}

describe("labels of a project", () => {
  test("are made by members and changed by admins, and names differ by more than case and width", async () => {
    const project = await makeProject(harness.now);
    const member = await makeMember(harness.now, project, "member");
    const made = await label(project, "Needs  design", member.token);
    expect(made.color).toMatch(/^#[0-9a-f]{6}$/);
    for (const name of ["needs design", "ＮＥＥＤＳ ｄｅｓｉｇｎ", "NEEDS DESIGN"]) {
      const twin = await harness.now.call("POST", `${project.path}/labels`, {
        token: member.token,
        body: { name },
      });
      expect(twin).toMatchObject({ status: 409, body: { code: "conflict" } });
    }
    await label(project, "Néeds design");
    const byMember = await harness.now.call("PATCH", `${project.path}/labels/${made.id}`, {
      token: member.token,
      body: { name: "design" },
    });
    expect(byMember.status).toBe(403);
    const byAdmin = await harness.now.call("PATCH", `${project.path}/labels/${made.id}`, {
      token: project.admin.token,
      body: { name: "design", color: "#A03FB0", description: "Waits for a design" },
    });
    expect(byAdmin.body).toMatchObject({
      name: "design",
      color: "#a03fb0",
      description: "Waits for a design",
    });
    const { body } = await harness.now.call("GET", `${project.path}/labels`, { token: member.token });
    expect(body.labels.map(({ name }: { name: string }) => name)).toEqual(["design", "Néeds design"]);
  });

  test("are put on a ticket by name, and an unknown name is refused with the nearest ones", async () => {
    const project = await makeProject(harness.now);
    for (const name of ["backend", "frontend", "needs design"]) await label(project, name);
    const { id } = await makeTicket(harness.now, project, { labels: ["BACKEND", "needs  design"] });
    expect(await labelsOf(project, id)).toEqual(["backend", "needs design"]);
    const unknown = await harness.now.call("PATCH", `${project.path}/tickets/${id}`, {
      token: project.admin.token,
      body: { add_labels: ["frontend", "need designs"] },
    });
    expect(unknown.status).toBe(400);
    expect(unknown.body.fieldErrors["add_labels.1"]).toContain('"needs design"');
    expect(await labelsOf(project, id)).toEqual(["backend", "needs design"]);
    const changed = await harness.now.call("PATCH", `${project.path}/tickets/${id}`, {
      token: project.admin.token,
      body: { add_labels: ["frontend"], remove_labels: ["backend"] },
    });
    expect(changed.body).toMatchObject({ version: 2 });
    expect(await labelsOf(project, id)).toEqual(["frontend", "needs design"]);
    const both = await harness.now.call("PATCH", `${project.path}/tickets/${id}`, {
      token: project.admin.token,
      body: { labels: [], add_labels: ["backend"] },
    });
    expect(both.body.fieldErrors).toHaveProperty("labels");
  });

  test("leave their tickets when they are deleted, with the person's name in the history", async () => {
    const project = await makeProject(harness.now);
    const gone = await label(project, "gone");
    await label(project, "kept");
    const { id } = await makeTicket(harness.now, project, { labels: ["gone", "kept"] });
    const deleted = await harness.now.call("DELETE", `${project.path}/labels/${gone.id}`, {
      token: project.admin.token,
    });
    expect(deleted.status).toBe(204);
    expect(await labelsOf(project, id)).toEqual(["kept"]);
    expect(await harness.now.work("replace-label")).toBeGreaterThan(0);
    const { body } = await harness.now.call("GET", `${project.path}/tickets/${id}/history`, {
      token: project.admin.token,
    });
    expect(body.history.at(-1)).toMatchObject({
      field: "labels",
      from: ["gone", "kept"],
      to: ["kept"],
      actor: { kind: "user" },
    });
    await label(project, "Gone");
  });

  test("are merged: tickets show the other label at once, and once", async () => {
    const project = await makeProject(harness.now);
    const [a, b, c] = [await label(project, "a"), await label(project, "b"), await label(project, "c")];
    const { id } = await makeTicket(harness.now, project, { labels: ["a"] });
    const { id: both } = await makeTicket(harness.now, project, { labels: ["a", "b"] });
    for (const [from, into] of [[a, b], [b, c]] as const) {
      const merged = await harness.now.call("POST", `${project.path}/labels/${from.id}/merge`, {
        token: project.admin.token,
        body: { into: into.id },
      });
      expect(merged).toMatchObject({ status: 200, body: { name: into.name } });
      expect(await labelsOf(project, id)).toEqual([into.name]);
      expect(await labelsOf(project, both)).toEqual([into.name]);
    }
    await harness.now.work("replace-label");
    expect(await labelsOf(project, id)).toEqual(["c"]);
    expect(await labelsOf(project, both)).toEqual(["c"]);
    const rows = await harness.now.sql<{ labels: string[] }[]>`
      select labels from tickets where id in (${id}::uuid, ${both}::uuid)`;
    expect(rows.map(({ labels }) => labels)).toEqual([[c.id], [c.id]]);
  });

  test("that are deleted while 20 people put them on tickets stay on none", async () => {
    const project = await makeProject(harness.now);
    const made = await label(project, "race");
    const tickets = await Promise.all(Array.from({ length: 20 }, () => makeTicket(harness.now, project)));
    await Promise.all([
      ...tickets.map(({ id }) =>
        harness.now.call("PATCH", `${project.path}/tickets/${id}`, {
          token: project.admin.token,
          body: { add_labels: ["race"] },
        })
      ),
      harness.now.call("DELETE", `${project.path}/labels/${made.id}`, { token: project.admin.token }),
    ]);
    await harness.now.work("replace-label");
    const [left] = await harness.now.sql<[{ count: number }]>`
      select count(*) from tickets where labels @> array[${made.id}::uuid]`;
    expect(left.count).toBe(0);
  });
});
