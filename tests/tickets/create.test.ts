import { describe, expect, test } from "vitest";
import { makeKey, makeMember, makeProject, ticketInput } from "../factories.ts";
import { useHarness } from "../harness.ts";

const harness = useHarness();

describe("creating a ticket", () => {
  test("answers 201 with the ticket, its ref and its version", async () => {
    const project = await makeProject(harness.now);
    const { status, body, headers } = await harness.now.call("POST", `${project.path}/tickets`, {
      token: project.admin.token,
      body: ticketInput({ roles: ["qa", "backend"], title: "  Spaces stay  " }),
    });
    expect(status).toBe(201);
    expect(body.ticket).toMatchObject({
      status: "open",
      stage: "backlog",
      ticket_ref: `${project.key}-1`,
      version: 1,
      title: "  Spaces stay  ",
      roles: [{ role: "backend", status: "pending" }, { role: "qa", status: "pending" }],
    });
    expect(headers.get("etag")).toBe('"1"');
    expect(headers.get("location")).toBe(`/api${project.path}/tickets/${body.ticket.id}`);
  });

  test("50 concurrent twins give one ticket and 50 equal bodies, one without _idempotent_replay", async () => {
    const project = await makeProject(harness.now);
    const input = ticketInput({ idempotency_key: "twin" });
    const answers = await Promise.all(
      Array.from(
        { length: 50 },
        () =>
          harness.now.call("POST", `${project.path}/tickets`, { token: project.admin.token, body: input }),
      ),
    );
    const originals = answers.filter(({ body }) => !("_idempotent_replay" in body));
    expect(originals).toHaveLength(1);
    expect(originals[0]!.status).toBe(201);
    for (const { status, body, headers } of answers) {
      const { _idempotent_replay, ...rest } = body;
      // The ticket may have changed since, so a replayed answer names no version to go on from.
      expect(headers.has("etag")).toBe(!_idempotent_replay);
      expect(rest).toEqual(originals[0]!.body);
      expect(status).toBe(_idempotent_replay ? 200 : 201);
    }
    const listed = await harness.now.call("GET", `${project.path}/tickets`, { token: project.admin.token });
    expect(listed.body.tickets).toHaveLength(1);
  });

  test("numbers of concurrent creates have no gaps", async () => {
    const project = await makeProject(harness.now);
    const twin = ticketInput({ idempotency_key: "one" });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        harness.now.call("POST", `${project.path}/tickets`, {
          token: project.admin.token,
          body: index % 3 === 0 ? twin : ticketInput(),
        })),
    );
    const numbers = new Set(answers.map(({ body }) => Number(body.ticket.ticket_ref.split("-")[1])));
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
  });

  test("a replay with another body returns the stored response; the key of another project does not", async () => {
    const [one, other] = [await makeProject(harness.now), await makeProject(harness.now)];
    const first = await harness.now.call("POST", `${one.path}/tickets`, {
      token: one.admin.token,
      headers: { "Idempotency-Key": "same" },
      body: ticketInput(),
    });
    const replay = await harness.now.call("POST", `${one.path}/tickets`, {
      token: one.admin.token,
      // A bot that assigns no role would be refused a new ticket.
      body: ticketInput({ idempotency_key: "same", actor_role: "bot" }),
    });
    expect(replay.body).toEqual({ ...first.body, _idempotent_replay: true });
    const elsewhere = await harness.now.call("POST", `${other.path}/tickets`, {
      token: other.admin.token,
      body: ticketInput({ idempotency_key: "same" }),
    });
    expect(elsewhere.status).toBe(201);
  });

  test("bot clients need roles: by key, by kind of user, by what the body claims", async () => {
    const project = await makeProject(harness.now);
    const key = await makeKey(harness.now, project.admin);
    const bot = await makeMember(harness.now, project, "member", "bot");
    const cases = [
      { token: key.token, body: ticketInput() },
      { token: bot.token, body: ticketInput({ roles: [] }) },
      { token: project.admin.token, body: ticketInput({ actor_role: "agent" }) },
      { token: project.admin.token, body: ticketInput({ actor_role: "bot" }) },
    ];
    for (const options of cases) {
      const refused = await harness.now.call("POST", `${project.path}/tickets`, options);
      expect(refused.status).toBe(400);
      expect(Object.keys(refused.body.fieldErrors)).toEqual(["roles"]);
      const accepted = await harness.now.call("POST", `${project.path}/tickets`, {
        ...options,
        body: { ...options.body, roles: ["other"] },
      });
      expect(accepted.status).toBe(201);
    }
  });

  test("the authenticated actor is written down, no matter what the body claims, and also when it claims nothing", async () => {
    const project = await makeProject(harness.now);
    const key = await makeKey(harness.now, project.admin);
    const authenticated = { actor_id: project.admin.id, created_by: project.admin.id };
    const byKey = { ...authenticated, created_with: "key" };
    const bySession = { ...authenticated, created_with: "session" };
    const someoneElse = await makeMember(harness.now, project, "member");
    const claims = { actor_role: "user", actor_id: someoneElse.id, source: "portal" };
    const cases = [
      [key, claims, { ...byKey, ...claims }],
      [key, {}, { ...byKey, actor_role: "bot", source: "api" }],
      [project.admin, {}, { ...bySession, actor_role: "user", source: "portal" }],
    ] as const;
    for (const [{ token }, claimed, written] of cases) {
      const body = ticketInput({ roles: ["qa"], ...claimed });
      const created = await harness.now.call("POST", `${project.path}/tickets`, { token, body });
      const { path, admin } = project;
      const ticket = await harness.now.call("GET", `${path}/tickets/${created.body.ticket.id}`, {
        token: admin.token,
      });
      expect(ticket.body).toMatchObject(written);
    }
  });
});
