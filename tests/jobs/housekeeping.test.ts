import { describe, expect, test } from "vitest";
import { prune } from "../../src/admin/prune.ts";
import type { Context } from "../../src/core/context.ts";
import { hashToken, newOpaqueToken } from "../../src/core/tokens.ts";
import type { Embedder } from "../../src/embedding/embedder.ts";
import { makeProject, makeTicket, makeUser, ticketInput } from "../factories.ts";
import { planOf } from "../explaining.ts";
import { useHarness } from "../harness.ts";

/** Returns a vector for each text but those that it can't read. */
const embedder: Embedder = {
  state: () => ({ state: "ready", queued: 0 }),
  embed: (text) => Promise.resolve(text.startsWith("Unreadable") ? null : new Float32Array(384).fill(0.05)),
  close: () => {},
};
const harness = useHarness({ embedder, env: { EMBEDDING_THREADS: "1" } });

async function count(table: string, where: string): Promise<number> {
  const [row] = await harness.now.sql.unsafe<{ count: number }[]>(
    `select count(*) from ${table} where ${where}`,
  );
  return row!.count;
}

describe("the backfill", () => {
  test("embeds what has no embedding, passes over what the model cannot read, and does it once", async () => {
    const project = await makeProject(harness.now);
    for (let number = 0; number < 5; number++) await makeTicket(harness.now, project);
    await makeTicket(harness.now, project, { title: "Unreadable by the model" });
    await makeTicket(harness.now, project);
    await harness.now.sql`delete from ticket_embeddings`;
    await harness.now.run("backfill-embeddings");
    expect(await count("ticket_embeddings", "true")).toBe(6);
    await harness.now.run("backfill-embeddings");
    expect(await count("ticket_embeddings", "true")).toBe(6);
    expect(await count("pgboss.job", "name = 'backfill-embeddings' and state <> 'completed'")).toBe(0);
  });
});

describe("pruning", () => {
  test("deletes deliveries after 30 days, and keeps younger ones", async () => {
    await harness.now.sql`
      insert into inbound_deliveries (id, provider, event, body, body_sha256, outcome, request_id, received_at)
      select gen_random_uuid(), 'github', 'ping', '{}', sha256(days::text::bytea), 'ignored', 'test',
        now() - make_interval(days => days)
      from generate_series(1, 60) days`;
    await harness.now.run("prune");
    expect(await count("inbound_deliveries", "true")).toBe(29);
  });

  test("deletes what ended long ago of sessions, tokens, invitations and rate limits, and nothing that lives", async () => {
    const { sql } = harness.now;
    const [living, ended] = [await makeUser(harness.now), await makeUser(harness.now)];
    const long = sql`now() - interval '31 days'`;
    await sql`update sessions set revoked_at = ${long} where id = ${ended.sessionId}::uuid`;
    for (const { sessionId } of [living, ended]) {
      await sql`
        insert into refresh_tokens (token_hash, session_id, expires_at)
        values (${hashToken(newOpaqueToken())}, ${sessionId}::uuid, now() + interval '1 day')`;
    }
    await sql`
      insert into invitations (token_hash, user_id, expires_at, used_at) values
        (${hashToken("a")}, ${ended.id}::uuid, now() + interval '1 day', ${long}),
        (${hashToken("b")}, ${ended.id}::uuid, ${long}, null),
        (${hashToken("c")}, ${living.id}::uuid, now() + interval '1 day', null)`;
    const soon = Date.now() + 60_000;
    await sql`insert into rate_limits (key, points, expire) values ('past', 1, 1), ('present', 1, ${soon}::bigint)`;
    await harness.now.run("prune");
    expect(await count("sessions", `id = '${ended.sessionId}'`)).toBe(0);
    expect(await count("sessions", `id = '${living.sessionId}'`)).toBe(1);
    expect(await count("refresh_tokens", "true")).toBe(1);
    expect(await count("invitations", "true")).toBe(1);
    expect(await count("rate_limits", "key in ('past', 'present')")).toBe(1);
  });

  test("keeps for 30 days what has ended, and then deletes it however much it is", async () => {
    const { sql } = harness.now;
    const past = (days: number) => sql`now() - make_interval(days => ${days})`;
    const living = await makeUser(harness.now);
    const ended = [];
    for (const days of [29, 31]) {
      const { id, sessionId } = await makeUser(harness.now);
      ended.push(sessionId);
      await sql`update sessions set expires_at = ${past(days)} where id = ${sessionId}::uuid`;
      const token = () => hashToken(newOpaqueToken());
      await sql`
        insert into refresh_tokens (token_hash, session_id, expires_at)
        values (${token()}, ${living.sessionId}::uuid, ${past(days)})`;
      await sql`
        insert into invitations (token_hash, user_id, expires_at, used_at) values
          (${token()}, ${id}::uuid, now() + interval '1 day', ${past(days)}), (${token()}, ${id}::uuid, ${
        past(days)
      }, null)`;
    }
    await sql`
      insert into hook_runs (id, user_id, state, finished_at)
      select gen_random_uuid(), ${living.id}::uuid, 'done', now() - make_interval(days => days)
      from unnest(array[29, 31]) days`;
    await sql`insert into rate_limits (key, points, expire) values ('over', 1, ${Date.now() - 1000}::bigint)`;
    await sql`
      insert into inbound_deliveries (id, provider, event, body, body_sha256, outcome, request_id, received_at)
      select gen_random_uuid(), 'github', 'many', '{}', sha256(n::text::bytea), 'ignored', 'test', ${past(31)}
      from generate_series(1001, 3500) n`;
    await harness.now.run("prune");
    const sessions = await sql<{ id: string }[]>`select id from sessions where id = any (${ended}::uuid[])`;
    expect(sessions.map(({ id }) => id)).toEqual([ended[0]]);
    expect(await count("refresh_tokens", `session_id = '${living.sessionId}'`)).toBe(1);
    expect(await count("invitations", "least(used_at, expires_at) < now()")).toBe(2);
    expect(await count("hook_runs", `user_id = '${living.id}'`)).toBe(1);
    expect(await count("rate_limits", "key = 'over'")).toBe(0);
    expect(await count("inbound_deliveries", "event = 'many'")).toBe(0);
  });

  test("deletes mails and chat messages after 30 days, and none that is still to be sent", async () => {
    const { id } = await makeUser(harness.now);
    await harness.now.sql`
      insert into messages (id, user_id, account_id, channel, kind, state, created_at)
      select gen_random_uuid(), u.id, u.account_id, 'mail', 'now', state, now() - make_interval(days => days)
      from users u, unnest(array['pending', 'sent', 'refused', 'failed', 'obsolete']) state, unnest(array[29, 31]) days
      where u.id = ${id}::uuid`;
    await harness.now.run("prune");
    expect(await count("messages", `user_id = '${id}'`)).toBe(6);
    expect(await count("messages", `user_id = '${id}' and state = 'pending'`)).toBe(2);
  });

  test("deletes refused sign-ins after 90 days, and nothing else of the audit list", async () => {
    await harness.now.sql`
      insert into audit_log (action, actor, created_at)
      select action, '{"kind": "user", "id": "pruned"}', now() - make_interval(days => age)
      from unnest(array['session.refused', 'session.started']) action, unnest(array[89, 91]) age`;
    await harness.now.run("prune");
    const left = await harness.now.sql<{ action: string; age: number }[]>`
      select action, extract(day from now() - created_at)::integer as age from audit_log
      where actor ->> 'id' = 'pruned' order by action, age`;
    expect(left.map(({ action, age }) => [action, age])).toEqual([
      ["session.refused", 89],
      ["session.started", 89],
      ["session.started", 91],
    ]);
  });

  test("reads only what has served its time, of what grows with the use", async () => {
    const { sql, services } = harness.now;
    const { id, sessionId } = await makeUser(harness.now);
    await sql`
      insert into sessions (id, user_id, expires_at)
      select gen_random_uuid(), ${id}::uuid, now() + interval '1 day' from generate_series(1, 20000)`;
    await sql`
      insert into refresh_tokens (token_hash, session_id, expires_at)
      select sha256(n::text::bytea), ${sessionId}::uuid, now() + interval '1 day' from generate_series(1, 20000) n`;
    await sql`
      insert into audit_log (action, actor) select 'session.refused', '{}' from generate_series(1, 20000)`;
    await sql`
      insert into messages (id, user_id, account_id, channel, kind, state)
      select gen_random_uuid(), u.id, u.account_id, 'mail', 'now', 'sent' from users u, generate_series(1, 20000)
      where u.id = ${id}::uuid`;
    for (const table of ["sessions", "refresh_tokens", "audit_log", "messages"]) {
      await sql.unsafe(`vacuum analyze ${table}`);
    }
    const plans: string[] = [];
    const explained = new Proxy(sql, {
      apply(target, _self, [strings, ...values]: [TemplateStringsArray, ...never[]]) {
        const made = target(strings, ...values);
        if (!String(strings[0]).includes("delete from")) return made;
        return target`explain ${made}`.then((rows) => (plans.push(planOf(rows)), rows));
      },
    });
    await prune({ ...services, db: explained } as unknown as Context);
    for (
      const index of [
        "sessions_ended_idx",
        "refresh_tokens_expires_idx",
        "audit_log_refused_idx",
        "messages_done_idx",
      ]
    ) {
      const plan = plans.find((plan) => plan.includes(index));
      expect(plan, index).toBeDefined();
      expect(plan, index).not.toContain("Seq Scan");
    }
  });

  test("keeps history and stored answers for ever, unless the configuration says for how long", async () => {
    const { sql } = harness.now;
    const project = await makeProject(harness.now);
    const [open, closed, old, merged] = [
      await makeTicket(harness.now, project, { idempotency_key: "young" }),
      await makeTicket(harness.now, project, { idempotency_key: "old" }),
      await makeTicket(harness.now, project),
      await makeTicket(harness.now, project, { title: "Merged" }),
    ];
    for (const { path } of [closed, old, merged]) {
      const body = { status: "closed", ...(path === merged.path && { merge_sha: "a".repeat(40) }) };
      expect((await harness.now.call("PATCH", path, { token: project.admin.token, body })).status).toBe(200);
    }
    await sql`update history set created_at = now() - interval '101 days' where project_id = ${project.id}::uuid`;
    await sql.begin(async (sql) => {
      await sql`set local session_replication_role = replica`;
      await sql`update tickets set closed_at = now() - interval '101 days' where id = any (${[
        old.id,
        merged.id,
      ]}::uuid[])`;
    });
    await sql`update ticket_creations set created_at = now() - interval '8 days' where idempotency_key = 'old'`;
    await sql`delete from event_outbox`;
    const histories = () =>
      Promise.all([open, closed, old, merged].map(({ id }) => count("history", `ticket_id = '${id}'`)));
    const keys = () => count("ticket_creations", `project_id = '${project.id}'`);
    const before = [await histories(), await keys()];
    await harness.now.run("prune");
    expect([await histories(), await keys()]).toEqual(before);
    const pruneAfter = (days: Record<string, number>) =>
      prune(
        {
          ...harness.now.services,
          config: { ...harness.now.services.config, ...days },
          db: sql,
        } as unknown as Context,
      );
    await pruneAfter({ KEEP_HISTORY_DAYS: 102, KEEP_ANSWERS_DAYS: 9 });
    expect([await histories(), await keys()]).toEqual(before);
    await pruneAfter({ KEEP_HISTORY_DAYS: 100, KEEP_ANSWERS_DAYS: 7 });
    const [[ofOpen, ofClosed]] = before as [[number, number], number];
    expect([await histories(), await keys()]).toEqual([[ofOpen, ofClosed, 0, 1], 1]);
    const again = await harness.now.call("POST", `${project.path}/tickets`, {
      token: project.admin.token,
      body: ticketInput({ idempotency_key: "old" }),
    });
    expect([again.status, again.body._idempotent_replay]).toEqual([201, undefined]);
  });

  test("keeps an idempotency key as long as its ticket", async () => {
    const project = await makeProject(harness.now);
    await makeTicket(harness.now, project, { idempotency_key: "kept" });
    await harness.now.run("prune");
    expect(await count("ticket_creations", "idempotency_key = 'kept'")).toBe(1);
  });
});

test("an expired lease gives its task back under the job's name", async () => {
  const { sql } = harness.now;
  const project = await makeProject(harness.now);
  const ticket = await makeTicket(harness.now, project);
  const token = project.admin.token;
  const { body: task } = await harness.now.call("POST", `${ticket.path}/tasks`, {
    token,
    body: { title: "A task", role: "qa" },
  });
  await harness.now.call("POST", `${ticket.path}/tasks/${task.id}/claim`, { token, body: {} });
  await harness.now.run("end-leases");
  expect(await count("tasks", `id = '${task.id}' and status = 'in_progress'`)).toBe(1);
  await sql.begin(async (tx) => {
    await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
    await tx`update tasks set lease_expires_at = now() - interval '1 second' where id = ${task.id}::uuid`;
  });
  await harness.now.run("end-leases");
  expect(await count("tasks", `id = '${task.id}' and status = 'pending' and assignee_user_id is null`)).toBe(
    1,
  );
  const [row] = await sql`
    select actor from history_entries where entity_id = ${task.id} and field = 'status' order by id desc limit 1`;
  expect(row?.actor).toMatchObject({ kind: "job", id: "end-leases" });
});
