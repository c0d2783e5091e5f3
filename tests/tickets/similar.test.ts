import { beforeEach, describe, expect, test } from "vitest";
import { behindLock } from "../behind_lock.ts";
import { makeMember, makeProject, makeTicket, next, type TestProject, ticketInput } from "../factories.ts";
import { type Answer, openHarness, useHarness } from "../harness.ts";
import { atCosine, SetVectors } from "./_vectors.ts";

const vectors = new SetVectors();
const harness = useHarness({ embedder: vectors, env: { EMBEDDING_THREADS: "1" } });
let project: TestProject;
beforeEach(async () => {
  vectors.on = true;
  project = await makeProject(harness.now);
});

/** A ticket with this vector; answers its title. */
async function stored(
  vector: readonly number[],
  where = project,
): Promise<{ title: string; path: string; ref: string }> {
  const title = `Stored ticket ${next()}`;
  vectors.set(title, vector);
  return { title, ...await makeTicket(harness.now, where, { title }) };
}

/** Creates a ticket that lies on the first axis. */
function create(): Promise<Answer> {
  const title = `New ticket ${next()}`;
  vectors.set(title, [1]);
  return harness.now.call("POST", `${project.path}/tickets`, {
    token: project.admin.token,
    body: ticketInput({ title }),
  });
}

/** Asks for tickets that are similar to the first axis, without creating one. */
async function ask(where = project) {
  vectors.set("What if there were this", [1]);
  const { body } = await harness.now.call("POST", `${where.path}/tickets/similar`, {
    token: where.admin.token,
    body: { title: "What if there were this", description: "Would there be one like it?" },
  });
  return body.similar_existing as { title: string; similarity: number; status: string; stage: string }[];
}

const titles = (found: { title: string }[]) => found.map(({ title }) => title);

describe("the hint", () => {
  test("holds a ticket at 0.65 and none just under it", async () => {
    // The cosine is 13/20 without any rounding, because 13² + 14² + 5² + 3² + 1² = 20².
    const exact = await stored([13, 14, 5, 3, 1]);
    const single = await stored(atCosine(0.65, 6));
    const above = await stored(atCosine(0.6501, 7));
    await stored(atCosine(0.6499, 8));
    await stored(atCosine(0.64995, 9));
    await stored(atCosine(-0.9, 10));
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(new Set(titles(body.similar_existing))).toEqual(
      new Set([exact, single, above].map(({ title }) => title)),
    );
    expect(body.similar_existing.map(({ similarity }: { similarity: number }) => similarity)).toEqual([
      0.6501,
      0.65,
      0.65,
    ]);
  });

  test("knows tickets of the same text as equal, though no two vectors are stored alike", async () => {
    const all = [await stored([0.6, 0.8, -0.01]), await stored([0.6, 0.8, -0.01])];
    const rows = await harness.now.sql<{ embedding: string }[]>`
      select embedding::text from ticket_embeddings where project_id = ${project.id}::uuid`;
    const [one, other] = rows.map(({ embedding }) => JSON.parse(embedding) as number[]);
    expect(one).not.toEqual(other);
    expect(one!.map(Math.sign)).toEqual([1, 1, -1, ...Array(381).fill(0)]);
    vectors.set("The same once more", [0.6, 0.8, -0.01]);
    const { body } = await harness.now.call("POST", `${project.path}/tickets`, {
      token: project.admin.token,
      body: ticketInput({ title: "The same once more" }),
    });
    expect(body.similar_existing.map(({ similarity }: { similarity: number }) => similarity)).toEqual([1, 1]);
    expect(new Set(titles(body.similar_existing))).toEqual(new Set(titles(all)));
  });

  test("is at most ten, best first, each with ref, title, four digits, status and stage", async () => {
    const all = [];
    for (let index = 0; index < 12; index++) {
      all.push(await stored(atCosine(0.71232 + index / 50, index + 1)));
    }
    const { body } = await create();
    const best = all.slice(2).reverse();
    expect(titles(body.similar_existing)).toEqual(best.map(({ title }) => title));
    expect(body.similar_existing[0]).toEqual({
      ticket_ref: best[0]!.ref,
      title: best[0]!.title,
      similarity: 0.9323,
      status: "open",
      stage: "backlog",
    });
    expect(body.similar_existing[9].similarity).toBe(0.7523);
  });

  test("is empty when there is nothing like it, and never holds the ticket itself", async () => {
    await stored(atCosine(0.1));
    expect((await create()).body.similar_existing).toEqual([]);
    const twin = await create();
    expect(twin.body.similar_existing).toHaveLength(1);
    expect(twin.body.similar_existing[0].ticket_ref).not.toBe(twin.body.ticket.ticket_ref);
    expect(twin.body.similar_existing[0].similarity).toBe(1);
  });

  test("leaves out closed tickets, and takes reopened ones back with their stage", async () => {
    const ticket = await stored([1]);
    const move = (stage: string) =>
      harness.now.call("PATCH", ticket.path, { token: project.admin.token, body: { stage } });
    expect((await move("live")).status).toBe(200);
    expect(await ask()).toEqual([]);
    expect((await move("validation")).status).toBe(200);
    expect(await ask()).toMatchObject([{ title: ticket.title, status: "open", stage: "validation" }]);
  });

  test("looks into its own project only, however near others are", async () => {
    const other = await makeProject(harness.now, { admin: project.admin });
    await Promise.all(Array.from({ length: 150 }, () => stored([1], other)));
    const own = await stored(atCosine(0.7));
    expect(titles(await ask())).toEqual([own.title]);
    expect(await ask(other)).toHaveLength(10);
  });

  test("is part of the stored answer: a replay shows what was found then", async () => {
    await stored(atCosine(0.8));
    const title = `New ticket ${next()}`;
    vectors.set(title, [1]);
    const options = { token: project.admin.token, body: ticketInput({ title, idempotency_key: "once" }) };
    const first = await harness.now.call("POST", `${project.path}/tickets`, options);
    await stored(atCosine(0.9, 2));
    const asked = vectors.asked.length;
    const replay = await harness.now.call("POST", `${project.path}/tickets`, options);
    expect(first.body.similar_existing).toHaveLength(1);
    expect(replay.body).toEqual({ ...first.body, _idempotent_replay: true });
    expect(vectors.asked).toHaveLength(asked);
  });

  test("is made of title, line end and description", async () => {
    await create();
    const [title, description] = vectors.asked.at(-1)!.split("\n");
    expect(title).toMatch(/^New ticket/);
    expect(description).toMatch(/^What is asked for/);
  });

  test("is left out where its search takes too long: the ticket comes first", async () => {
    const { sql } = harness.now;
    const signature =
      "similar_tickets(in_project uuid, query vector, threshold double precision, max_rows integer)";
    const [{ source }] = await sql<[{ source: string }]>`
      select pg_get_functiondef('similar_tickets'::regproc) as source`;
    await sql.unsafe(`create or replace function ${signature}
      returns table(ticket_id uuid, similarity double precision) language plpgsql stable as $$ begin
        raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled'; end $$`);
    try {
      const { status, body } = await create();
      expect([status, "similar_existing" in body]).toEqual([201, false]);
    } finally {
      await sql.unsafe(source);
    }
  });

  test("can be had without a creation, which stores nothing", async () => {
    const ticket = await stored(atCosine(0.75));
    const before = await harness.now.sql`select count(*) as n from tickets`;
    expect(await ask()).toMatchObject([{ title: ticket.title, similarity: 0.75 }]);
    expect(await harness.now.sql`select count(*) as n from tickets`).toEqual(before);
    const { token } = project.admin;
    const short = await harness.now.call("POST", `${project.path}/tickets/similar`, {
      token,
      body: { title: "x" },
    });
    expect(Object.keys(short.body.fieldErrors).sort()).toEqual(["description", "title"]);
  });
});

describe("without the model", () => {
  test("the ticket is created, the field is left out, and a job fills the embedding in", async () => {
    vectors.on = false;
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).not.toHaveProperty("similar_existing");
    const refused = await harness.now.call("POST", `${project.path}/tickets/similar`, {
      token: project.admin.token,
      body: { title: "What if there were", description: "Would there be one like it?" },
    });
    expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
    // While the model is away, the job fails and stays.
    expect(await harness.now.work("embed-ticket")).toBe(1);
    vectors.on = true;
    expect(await ask()).toEqual([]);
    await harness.now.sql`update pgboss.job_common set start_after = now() where name = 'embed-ticket'`;
    expect(await harness.now.work("embed-ticket")).toBe(1);
    expect(await ask()).toMatchObject([{ title: body.ticket.title, similarity: 1 }]);
    expect(await harness.now.work("embed-ticket")).toBe(0);
  });

  test("a ticket that is closed in between gets its embedding and stays out of the hint", async () => {
    vectors.on = false;
    const { body } = await create();
    const path = `${project.path}/tickets/${body.ticket.id}`;
    await harness.now.call("PATCH", path, { token: project.admin.token, body: { status: "closed" } });
    vectors.on = true;
    await harness.now.work("embed-ticket");
    expect(await ask()).toEqual([]);
    await harness.now.call("PATCH", path, { token: project.admin.token, body: { status: "open" } });
    expect(await ask()).toHaveLength(1);
  });

  test("a ticket whose closing is under way when its embedding is stored stays out of the hint, too", async () => {
    vectors.on = false;
    const { id } = (await create()).body.ticket;
    vectors.on = true;
    await behindLock(
      harness.now,
      async (tx) => {
        await tx`select set_config('handoff.actor', '{"kind":"job","id":"test"}', true)`;
        await tx`
          update tickets set stage = 'live', status = 'closed', closed_at = now(), resolution_type = 'completed'
          where id = ${id}::uuid`;
      },
      () => harness.now.work("embed-ticket"),
    );
    expect(await ask()).toEqual([]);
  });
});

describe("a change of", () => {
  test.each(["title", "description"])(
    "%s embeds anew: the old text is not found any more, the new one is",
    async (field) => {
      const ticket = await stored([1]);
      const title = field === "title" ? `Renamed ticket ${next()}` : ticket.title;
      vectors.set(title, atCosine(0.9));
      const body = { [field]: field === "title" ? title : "Quite another description" };
      expect((await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body })).status)
        .toBe(200);
      expect(await ask()).toEqual([]);
      expect(await harness.now.work("embed-ticket")).toBe(1);
      expect(await ask()).toMatchObject([{ title, similarity: 0.9 }]);
    },
  );

  test("title and back while the job waits makes one embedding, of the last text", async () => {
    const ticket = await stored([1]);
    for (const name of ["First other title", "Second other title", ticket.title]) {
      vectors.set(name, name === ticket.title ? atCosine(0.8) : atCosine(0.9, 2));
      await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body: { title: name } });
    }
    expect(await harness.now.work("embed-ticket")).toBe(1);
    expect(await ask()).toMatchObject([{ title: ticket.title, similarity: 0.8 }]);
  });

  test("title while the job is at work is embedded by that job, which its change may have counted on", async () => {
    const ticket = await stored([1]);
    const rename = (title: string) => {
      vectors.set(title, atCosine(title === "Last title of it" ? 0.8 : 0.9));
      return harness.now.call("PATCH", ticket.path, { token: project.admin.token, body: { title } });
    };
    await rename("First title of it");
    vectors.meanwhile = () => rename("Last title of it");
    expect(await harness.now.work("embed-ticket")).toBe(1);
    expect(await ask()).toMatchObject([{ title: "Last title of it", similarity: 0.8 }]);
    expect(await harness.now.work("embed-ticket")).toBe(1);
    expect(await ask()).toHaveLength(1);
  });

  test("description while the job is at work is embedded by that job too", async () => {
    const ticket = await stored([1]);
    const change = (body: object) =>
      harness.now.call("PATCH", ticket.path, { token: project.admin.token, body });
    await change({ description: "First description of it" });
    vectors.meanwhile = () => change({ description: "Last description of it" });
    expect(await harness.now.work("embed-ticket")).toBe(1);
    expect(vectors.asked.at(-1)).toContain("Last description of it");
    expect(await harness.now.work("embed-ticket")).toBe(1);
  });

  test("a ticket that goes while the job is at work ends the job", async () => {
    const ticket = await stored([1]);
    const { id } = (await harness.now.call("GET", ticket.path, { token: project.admin.token })).body;
    vectors.set("Title of what goes", [1]);
    const body = { title: "Title of what goes" };
    await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body });
    vectors.meanwhile = () =>
      harness.now.sql.begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        await tx`delete from tickets where id = ${id}::uuid`;
      });
    expect(await harness.now.work("embed-ticket")).toBe(1);
    const jobs = await harness.now.sql`
      select state from pgboss.job where name = 'embed-ticket' and singleton_key = ${id}`;
    expect(jobs).toEqual([{ state: "completed" }]);
  });

  test("anything else leaves the embedding as it is", async () => {
    const ticket = await stored([1]);
    const body = { priority: "high", blocking: true, roles: ["qa"], title: ticket.title };
    await harness.now.call("PATCH", ticket.path, { token: project.admin.token, body });
    expect(await ask()).toHaveLength(1);
    expect(await harness.now.work("embed-ticket")).toBe(0);
  });
});

test("a creation whose twin comes first while it is embedded is a replay, though its role was switched off then", async () => {
  const own = await makeProject(harness.now);
  const call = (method: string, path: string, body: unknown) =>
    harness.now.call(method, path, { token: own.admin.token, body });
  const input = ticketInput({ roles: ["qa"], idempotency_key: "once" });
  const create = () => call("POST", `${own.path}/tickets`, input);
  let twin: Answer | undefined;
  vectors.meanwhile = async () => {
    twin = await create();
    await call("PUT", "/settings/roles", { roles: [{ role: "qa", enabled: false }] });
  };
  const { status, body } = await create();
  expect([twin!.status, status]).toEqual([201, 200]);
  expect(body).toEqual({ ...twin!.body, _idempotent_replay: true });
});

test("EMBEDDING_THREADS=0 switches the hint off: no field, no job, and 503 for who asks for it", async () => {
  const off = await openHarness();
  try {
    const place = await makeProject(off);
    const { token } = place.admin;
    const created = await off.call("POST", `${place.path}/tickets`, { token, body: ticketInput() });
    expect(created.status).toBe(201);
    expect(created.body).not.toHaveProperty("similar_existing");
    expect(await off.work("embed-ticket")).toBe(0);
    const asked = await off.call("POST", `${place.path}/tickets/similar`, {
      token,
      body: { title: "What if there were", description: "Would there be one like it?" },
    });
    expect(asked).toMatchObject({ status: 503, body: { code: "not_configured" } });
    const changed = await off.call("PATCH", `${place.path}/tickets/${created.body.ticket.id}`, {
      token,
      body: { title: "Another title of it" },
    });
    expect(changed.status).toBe(200);
    expect(await off.work("embed-ticket")).toBe(0);
  } finally {
    await off.close();
  }
});

test("a hint tells of no other project, not even by the links, parents and labels of what it names", async () => {
  const hidden = await makeProject(harness.now, { admin: project.admin });
  const reader = await makeMember(harness.now, project, "member");
  const asAdmin = (method: string, path: string, body: object) =>
    harness.now.call(method, path, { token: project.admin.token, body });
  const secret = await stored([1], hidden);
  const secretParent = await stored([1], hidden);
  await asAdmin("POST", `${hidden.path}/labels`, { name: "merger" });
  await asAdmin("POST", `${hidden.path}/milestones`, { name: "acquisition" });
  await asAdmin("PATCH", secret.path, { labels: ["merger"], parent_id: secretParent.ref });
  const open = await stored([1]);
  for (const kind of ["blocked_by", "blocks", "relates"]) {
    const linked = await asAdmin("POST", `${open.path}/links`, {
      kind,
      ticket: kind === "blocked_by" ? secret.ref : secretParent.ref,
    });
    expect(linked.status).toBe(201);
  }
  const title = `Asked by a reader ${next()}`;
  vectors.set(title, [1]);
  const ask = { title, description: "Would there be one like it?" };
  const found = await harness.now.call("POST", `${project.path}/tickets/similar`, {
    token: reader.token,
    body: ask,
  });
  const made = await harness.now.call("POST", `${project.path}/tickets`, {
    token: reader.token,
    body: ticketInput(ask),
  });
  expect([found.status, made.status]).toEqual([200, 201]);
  for (const { body } of [found, made]) {
    expect(body.similar_existing).toEqual([
      { ticket_ref: open.ref, title: open.title, similarity: 1, status: "open", stage: "backlog" },
    ]);
    const said = JSON.stringify(body);
    for (
      const word of [secret.ref, secret.title, secretParent.title, `${hidden.key}-`, "merger", "acquisition"]
    ) {
      expect(said).not.toContain(word);
    }
  }
  const elsewhere = await harness.now.call("POST", `${hidden.path}/tickets/similar`, {
    token: reader.token,
    body: ask,
  });
  expect(elsewhere.status).toBe(403);
});
