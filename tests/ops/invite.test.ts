import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { copyTemplate, dropPlace, type Place } from "../database.ts";
import { startService } from "../service_process.ts";
import { runOps } from "./_command.ts";

const ADMIN = { email: "admin@localhost", password: "lost for good" };

let place: Place;
beforeAll(async () => {
  place = await copyTemplate(inject("template"));
});
afterAll(() => dropPlace(place));

function invite(...args: string[]) {
  const env = { DATA_DIR: place.dataDir, PUBLIC_URL: "https://tickets.example" };
  return runOps("invite", args, { ...env, ...(place.url && { DATABASE_URL: place.url }) });
}

test("the only super admin comes back in with a link that the operator makes", async () => {
  const first = await startService(place, { ADMIN_PASSWORD: ADMIN.password });
  expect((await first.call("POST", "/api/auth/login", { body: ADMIN })).status).toBe(200);
  expect(await first.stop()).toBe(0);

  const { code, text } = await invite("Admin@localhost");
  expect([code, text]).toEqual([
    0,
    expect.stringMatching(/^Until \S+Z, Admin@localhost sets a new password at\n\S+\n$/),
  ]);
  const token = /https:\/\/tickets\.example\/invite#(\S+)/.exec(text)![1];

  const service = await startService(place);
  try {
    const password = "kept this time";
    const accepted = await service.call("POST", "/api/users/invitations/accept", {
      body: { token, password },
    });
    expect([accepted.status, accepted.text]).toEqual([200, expect.any(String)]);
    const { body } = await service.call("POST", "/api/auth/login", { body: { ...ADMIN, password } });
    const headers = { authorization: `Bearer ${body.access_token}` };
    const audit = await service.call("GET", "/api/admin/audit?action=user.invited", { headers });
    expect(audit.body.audit[0].actor).toMatchObject({ kind: "job", id: "invite-command" });
  } finally {
    await service.stop();
  }
});

test("beside a service on the embedded database it says how the link is made there", async () => {
  if (place.url) return;
  const service = await startService(place);
  try {
    const { code, text } = await invite("Admin@localhost");
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(
        /^handoff: .*the service is running.* POST https:\/\/tickets\.example\/api\/users\/\{id\}\/invitation.*\n$/,
      ),
    ]);
    const migrate = await runOps("migrate", [], { DATA_DIR: place.dataDir });
    expect([migrate.code, migrate.text]).toEqual([
      1,
      expect.stringMatching(
        /^handoff: .*the service is running, and applied its migrations when it started.*\n$/,
      ),
    ]);
  } finally {
    await service.stop();
  }
});

test("an email that nobody has, and none at all, are told in one line", async () => {
  expect(await invite("nobody@test.example")).toEqual({
    code: 1,
    text: "handoff: cannot go on: No user has the email nobody@test.example\n",
  });
  expect(await runOps("invite", ["Admin@localhost"], { DATA_DIR: `${place.dataDir}/none` })).toEqual({
    code: 1,
    text: `handoff: cannot go on: There is no embedded database in ${place.dataDir}/none\n`,
  });
  expect(await invite()).toEqual({
    code: 1,
    text: "handoff: cannot go on: Usage: npm run invite -- EMAIL\n",
  });
});
