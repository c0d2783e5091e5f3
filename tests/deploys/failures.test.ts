import { beforeEach, describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import { makeProject, makeUser } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { CRON_SECRET, makeMerged, newSha, readTicket, sendDeploy } from "./setup.ts";

const harness = useHarness({ env: { CRON_SECRET } });

// Jobs that other deploys left behind.
beforeEach(() => harness.now.work("close-parked-tickets"));

/** While `work` runs, the database refuses one kind of write. */
async function breaking(table: string, when: string, work: () => Promise<void>): Promise<void> {
  const { sql } = harness.now;
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$;
    create trigger refuse ${when} on ${table} for each row
      ${
    table === "tickets" && when.includes("stage") ? "when (new.stage = 'live')" : ""
  } execute function refuse()`);
  try {
    await work();
  } finally {
    await sql.unsafe(`drop trigger refuse on ${table}; drop function refuse()`);
  }
}

async function outcomes(sha: string) {
  const rows = await harness.now.sql`
    select outcome, reason, error, attempts from inbound_deliveries where provider = 'deploy' and subject like ${`%@${sha}`}`;
  return [...rows];
}

describe("a deploy record", () => {
  test.each([
    ["stamp_failed", "tickets", "before update of deployed_at"],
    ["report_failed", "deploy_reports", "before insert or update"],
  ])(
    "whose step breaks is a 500 %s, stamps nothing, and is kept until it comes again",
    async (code, table, when) => {
      const repo = `acme/${code}`;
      const project = await makeProject(harness.now, { repositories: [repo] });
      const sha = newSha();
      const ticket = await makeMerged(harness.now, project, sha);
      await breaking(table, when, async () => {
        const { status, body } = await sendDeploy(harness.now, { repo, sha });
        expect([status, body.code]).toEqual([500, code]);
        expect(body.error).not.toContain("disk");
        expect(await readTicket(harness.now, project, ticket)).toMatchObject({
          status: "open",
          deployed_at: null,
        });
        expect(await outcomes(sha)).toEqual([
          {
            outcome: "failed",
            reason: null,
            error: expect.stringContaining("the disk is full"),
            attempts: 1,
          },
        ]);
      });
      expect((await sendDeploy(harness.now, { repo, sha })).body).toEqual({
        stamped: 1,
        closed: 1,
        ignored: false,
      });
      expect(await outcomes(sha)).toEqual([{ outcome: "applied", reason: null, error: null, attempts: 2 }]);
    },
  );

  test("that falls victim to a deadlock is taken at the second try", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/victim"] });
    const sha = newSha();
    await makeMerged(harness.now, project, sha);
    const { sql } = harness.now;
    // A failed transaction does not set back a sequence.
    await sql.unsafe(`
      create sequence tries;
      create function fail_first() returns trigger language plpgsql as $$ begin
        if nextval('tries') = 1 then raise exception 'the victim' using errcode = 'deadlock_detected'; end if;
        return new;
      end $$;
      create trigger fail_first before update on tickets for each row execute function fail_first()`);
    try {
      const { status, body } = await sendDeploy(harness.now, { repo: "acme/victim", sha, status: "failed" });
      expect([status, body.stamped]).toEqual([200, 1]);
    } finally {
      await sql.unsafe("drop function fail_first cascade; drop sequence tries");
    }
  });

  test("whose closing breaks is a 500 close_failed and stays stamped; a job closes when nobody calls again", async () => {
    const project = await makeProject(harness.now, { repositories: ["acme/close"] });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    await breaking("tickets", "before update of stage", async () => {
      const { status, body } = await sendDeploy(harness.now, { repo: "acme/close", sha });
      expect([status, body.code]).toEqual([500, "close_failed"]);
      expect(await readTicket(harness.now, project, ticket)).toMatchObject({
        status: "open",
        ship: "deployed",
      });
      expect(await outcomes(sha)).toEqual([
        {
          outcome: "applied",
          reason: "close_failed",
          error: expect.stringContaining("the disk is full"),
          attempts: 1,
        },
      ]);
      expect(await harness.now.work("close-parked-tickets")).toBe(1);
      expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "open" });
    });
    expect(await harness.now.work("close-parked-tickets")).toBe(1);
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "closed", stage: "live" });
    const [closing] = await harness.now.sql`
      select actor from history_entries where ticket_id = ${ticket.id}::uuid and field = 'status'`;
    expect(closing?.actor).toMatchObject({ kind: "job", id: "close-parked-tickets" });
  });

  test("whose closing never works ends as a dead letter, which an admin retries", async () => {
    const admin = await makeUser(harness.now, { role: "super_admin" });
    const project = await makeProject(harness.now, { repositories: ["acme/dead"] });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    const list = (query: string) => harness.now.call("GET", `/admin/jobs?${query}`, { token: admin.token });
    let tries = 0;
    await breaking("tickets", "before update of stage", async () => {
      await sendDeploy(harness.now, { repo: "acme/dead", sha });
      while (await harness.now.work("close-parked-tickets") > 0) {
        tries++;
        const { body } = await list("queue=close-parked-tickets");
        expect(body.jobs.find((job: { payload: { sha: string } }) => job.payload.sha === sha)).toMatchObject({
          tries,
        });
      }
    });
    expect(tries).toBe(15);
    const failed = await list("state=failed&queue=close-parked-tickets");
    expect(failed.body.jobs).toMatchObject([
      { state: "failed", payload: { repo: "acme/dead", sha }, tries: 15, max_tries: 15, next_try_at: null },
    ]);
    expect(failed.body.jobs[0].error).toContain("the disk is full");
    const dead = await list("queue=close-parked-tickets-dead");
    const { id, error } = failed.body.jobs[0];
    expect(dead.body.jobs).toMatchObject([
      { state: "created", payload: { repo: "acme/dead", sha }, error, next_try_at: null },
    ]);
    const retry = (job: string) =>
      harness.now.call("POST", `/admin/jobs/${job}/retry`, { token: admin.token });
    const [retried, twin] = await behindLock(
      harness.now,
      (tx) => tx`select from pgboss.job where id = ${id}::uuid for update`,
      () => retry(dead.body.jobs[0].id),
      () => retry(id),
    );
    expect([retried!.status, retried!.body]).toMatchObject([200, { id, state: "retry" }]);
    expect([twin!.status, twin!.body.code]).toEqual([409, "conflict"]);
    const audited = await harness.now.sql`
      select actor ->> 'id' as by, details from audit_log where target_id = ${id}`;
    expect(audited).toEqual([{ by: admin.id, details: { queue: "close-parked-tickets" } }]);
    expect((await list("queue=close-parked-tickets-dead")).body.jobs).toEqual([]);
    await harness.now.work("close-parked-tickets");
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "closed" });
    const again = await retry(id);
    expect([again.status, again.body.code]).toEqual([409, "conflict"]);
  });

  test("whose dead letter outlived the job that failed closes all the same when it is retried, once", async () => {
    const { sql } = harness.now;
    const admin = await makeUser(harness.now, { role: "super_admin" });
    const project = await makeProject(harness.now, { repositories: ["acme/outlived"] });
    const sha = newSha();
    const ticket = await makeMerged(harness.now, project, sha);
    await breaking("tickets", "before update of stage", async () => {
      await sendDeploy(harness.now, { repo: "acme/outlived", sha });
      while (await harness.now.work("close-parked-tickets") > 0);
    });
    await sql`delete from pgboss.job where name = 'close-parked-tickets' and data ->> 'sha' = ${sha}`;
    const [dead] = await sql`select id from pgboss.job where name = 'close-parked-tickets-dead'`;
    const retry = () => harness.now.call("POST", `/admin/jobs/${dead!.id}/retry`, { token: admin.token });
    const retried = await retry();
    expect([retried.status, retried.body]).toMatchObject([200, {
      queue: "close-parked-tickets",
      state: "created",
      payload: { repo: "acme/outlived", sha },
      tries: 0,
      max_tries: 15,
    }]);
    expect((await retry()).status).toBe(404);
    expect(await harness.now.work("close-parked-tickets")).toBe(1);
    expect(await readTicket(harness.now, project, ticket)).toMatchObject({ status: "closed" });
  });
});
