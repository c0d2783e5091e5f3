import { expect, test } from "vitest";
import { makeAccount, makeUser, next, type TestUser } from "../factories.ts";
import { usePeople } from "./_people.ts";

const { call, harness } = usePeople();

const superAdmin = (): Promise<TestUser> => makeUser(harness.now, { role: "super_admin" });

test("a super admin makes, reads, lists and changes accounts", async () => {
  const { token } = await superAdmin();
  const slug = `acme-${next()}-inc`;
  const { status, body, headers } = await call("POST", "/accounts", { token, body: { name: "Acme", slug } });
  expect(status).toBe(201);
  expect(headers.get("location")).toBe(`/api/accounts/${body.id}`);
  expect((await call("GET", `/accounts/${body.id}`, { token })).body).toEqual(body);
  const changed = await call("PATCH", `/accounts/${body.id}`, { token, body: { name: "Acme Inc." } });
  expect(changed.body).toEqual({ ...body, name: "Acme Inc.", updated_at: changed.body.updated_at });
  expect(changed.body.updated_at > body.updated_at).toBe(true);
  const { body: audit } = await call("GET", "/admin/audit?action=account.updated", { token });
  expect(audit.audit).toMatchObject([{ target_id: body.id, details: { name: "Acme Inc." } }]);
  const listed = await call("GET", "/accounts?limit=200", { token });
  expect(listed.body.accounts.map(({ id }: { id: string }) => id)).toContain(body.id);
  expect((await call("GET", `/accounts/${crypto.randomUUID()}`, { token })).status).toBe(404);
  expect((await call("PATCH", `/accounts/${crypto.randomUUID()}`, { token, body: { name: "x" } })).status)
    .toBe(404);
});

test("accounts come in pages, oldest first", async () => {
  const { token } = await superAdmin();
  const ids = [
    await makeAccount(harness.now),
    await makeAccount(harness.now),
    await makeAccount(harness.now),
  ];
  const paged: string[] = [];
  let cursor = "";
  do {
    const { body } = await call("GET", `/accounts?limit=2${cursor && `&cursor=${cursor}`}`, { token });
    paged.push(...body.accounts.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor ?? "";
  } while (cursor && paged.length < 10_000);
  expect(paged.slice(-3)).toEqual(ids);
  expect(new Set(paged).size).toBe(paged.length);
});

test("an account that is told what it is stays as it was, and nothing is audited", async () => {
  const { token } = await superAdmin();
  const slug = `same-${next()}`;
  const { body } = await call("POST", "/accounts", { token, body: { name: "Same", slug } });
  for (const change of [{}, { name: "Same" }, { name: "Same", slug }]) {
    expect(await call("PATCH", `/accounts/${body.id}`, { token, body: change })).toMatchObject({
      status: 200,
      body,
    });
  }
  expect((await call("PATCH", `/accounts/${crypto.randomUUID()}`, { token, body: {} })).status).toBe(404);
  const rows = await harness.now.sql`select action, details from audit_log where target_id = ${body.id}`;
  expect(rows).toEqual([{ action: "account.created", details: { name: "Same", slug } }]);
});

test("a slug belongs to one account, also of ten that want it at once", async () => {
  const { token } = await superAdmin();
  const slug = `wanted-${next()}`;
  const made = await Promise.all(
    Array.from({ length: 10 }, () => call("POST", "/accounts", { token, body: { name: "Wants it", slug } })),
  );
  expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  const other = await call("POST", "/accounts", { token, body: { name: "Other", slug: `${slug}-other` } });
  const taken = await call("PATCH", `/accounts/${other.body.id}`, { token, body: { slug } });
  expect(taken).toMatchObject({ status: 409, body: { code: "conflict" } });
});

test("accounts are no business of anybody else", async () => {
  for (const role of ["admin", "member"] as const) {
    const user = await makeUser(harness.now, { role });
    const { token } = user;
    for (const [method, path] of [["GET", "/accounts"], ["GET", `/accounts/${user.accountId}`]] as const) {
      expect((await call(method, path, { token })).status).toBe(403);
    }
    expect((await call("POST", "/accounts", { token, body: { name: "Mine", slug: "mine" } })).status).toBe(
      403,
    );
    expect((await call("PATCH", `/accounts/${user.accountId}`, { token, body: { name: "Mine" } })).status)
      .toBe(403);
  }
});
