import { beforeAll, describe, expect, test, vi } from "vitest";
import { log } from "../../src/core/log.ts";
import { publishedProcedures } from "../../src/http/procedures.ts";
import { makeProject, makeTicket, type TestTicket, ticketInput, useProject } from "../factories.ts";
import { openHarness, useHarness } from "../harness.ts";
import { expectError, expectNoInside, post } from "./_calls.ts";

const harness = useHarness();
const project = useProject(harness);
let ticket: TestTicket;
beforeAll(async () => {
  ticket = await makeTicket(harness.now, project);
});

describe("an unknown path", () => {
  test.each([
    ["GET", "/api/ticket"],
    ["POST", "/api/projects/"],
    ["GET", "/api/projects//tickets"],
    ["GET", "/api/../etc/passwd"],
    ["GET", "/api/%2e%2e%2fhealthz"],
    ["GET", "/api/auth/me/"],
    ["GET", "/API/auth/me"],
    ["GET", "/wp-login.php"],
    ["GET", "/api/docs/../../main.ts"],
    ["DELETE", "/api/tickets"],
    ["GET", `/api/${"x".repeat(5000)}`],
    ["GET", "/api/%ff%fe"],
    ["GET", `/api/${"🎫".repeat(500)}`],
    ["GET", `/api/x${"🎫".repeat(500)}`],
    ["GET", "/api/<script>alert(1)</script>"],
  ])("%s %s is 404 in the form of errors", async (method, path) => {
    const response = await harness.now.request(method, path, { token: project.admin.token });
    const body = await response.json();
    expectError({ status: response.status, body, headers: response.headers }, 404, "not_found");
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(body.error.length).toBeLessThan(300);
    expect(body.error.isWellFormed()).toBe(true);
  });
});

describe("a wrong method", () => {
  test.each([
    ["DELETE", "/api/projects/{id}/tickets", ["GET", "HEAD", "POST"]],
    ["PUT", "/api/projects/{id}", ["DELETE", "GET", "HEAD", "PATCH"]],
    ["GET", "/api/auth/login", ["POST"]],
    ["GET", "/api/auth/refresh", ["POST"]],
    ["POST", "/api/auth/me", ["GET", "HEAD"]],
    ["PATCH", "/api/keys", ["GET", "HEAD", "POST"]],
    ["GET", "/api/projects/{id}/tickets/bulk", ["POST"]],
    ["PATCH", "/api/projects/{id}/tickets/similar", ["POST"]],
    ["PROPFIND", "/api/projects", ["GET", "HEAD", "POST"]],
    ["OPTIONS", "/api/projects", ["GET", "HEAD", "POST"]],
    ["POST", "/api/openapi.json", ["GET", "HEAD"]],
    ["DELETE", "/api/docs", ["GET", "HEAD"]],
    ["POST", "/healthz", ["GET", "HEAD"]],
    ["PUT", "/readyz", ["GET", "HEAD"]],
    ["POST", "/metrics", ["GET", "HEAD"]],
    ["GET", "/api/webhooks/cloud-agent", ["POST"]],
  ])("%s %s is 405 with what is allowed", async (method, path, allowed) => {
    const response = await harness.now.request(method, path.replace("{id}", project.id), {
      token: project.admin.token,
    });
    expectError(
      { status: response.status, body: await response.json(), headers: response.headers },
      405,
      "method_not_allowed",
    );
    const allow = response.headers.get("allow")!.split(", ");
    expect(allow.sort()).toEqual(expect.arrayContaining(allowed));
  });

  test("is told for every path of the service, with exactly its methods", async () => {
    const byPath = Map.groupBy(publishedProcedures(), ({ meta }) => meta.path);
    for (const [path, procedures] of byPath) {
      const methods: string[] = procedures.map(({ meta }) => meta.method);
      const missing = ["GET", "POST", "PUT", "PATCH", "DELETE"].find((method) => !methods.includes(method))!;
      const concrete = path.replaceAll(/\{\w+\}/g, "x");
      const response = await harness.now.request(missing, `/api${concrete}`);
      expect([missing, path, response.status]).toEqual([missing, path, 405]);
      const allow = response.headers.get("allow")!.split(", ");
      for (const method of methods) expect(allow).toContain(method);
    }
  });
});

describe("HEAD", () => {
  test("answers like GET, without a body, on every path that has one", async () => {
    const paths = [
      "/healthz",
      "/readyz",
      "/api/openapi.json",
      "/api/docs",
      "/api/auth/me",
      "/api/keys",
      `/api${project.path}`,
      `/api${project.path}/tickets`,
      `/api${ticket.path}`,
    ];
    for (const path of paths) {
      const [get, head] = [
        await harness.now.request("GET", path, { token: project.admin.token }),
        await harness.now.request("HEAD", path, { token: project.admin.token }),
      ];
      expect({ path, status: head.status }).toEqual({ path, status: get.status });
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
      expect(await head.text()).toBe("");
      expect(head.headers.get("content-length")).toBe(String((await get.arrayBuffer()).byteLength));
    }
  });

  test("is refused like GET", async () => {
    const unauthenticated = await harness.now.request("HEAD", "/api/auth/me");
    expect([unauthenticated.status, await unauthenticated.text()]).toEqual([401, ""]);
    const wrong = await harness.now.request("HEAD", `/api${project.path}/tickets?limit=0`, {
      token: project.admin.token,
    });
    expect(wrong.status).toBe(400);
    const post = await harness.now.request("HEAD", "/api/auth/login");
    expect([post.status, post.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("every answer", () => {
  test("carries a request id: the caller's when it is a good one, else a new one", async () => {
    const idFor = async (given: string | undefined, path = "/api/auth/me") => {
      const response = await harness.now.request(
        "GET",
        path,
        given === undefined ? {} : { headers: { "x-request-id": given } },
      );
      await response.body?.cancel();
      return response.headers.get("x-request-id");
    };
    for (const good of ["abc", "a.b_c-1", "x".repeat(64)]) expect(await idFor(good)).toBe(good);
    for (const bad of ["", "x".repeat(65), "a b", "a,b", "<b>", "ä", 'x"; y="']) {
      expect(await idFor(bad)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    }
    for (const path of ["/healthz", "/nowhere", "/api/openapi.json", "/trpc/auth.me"]) {
      expect(await idFor("mine", path)).toBe("mine");
    }
    expect(await idFor(undefined)).not.toBe(await idFor(undefined));
  });

  test("is not to be stored, guessed at or framed", async () => {
    for (const path of ["/api/auth/me", `/api${project.path}`, "/nowhere", "/trpc/auth.me"]) {
      const { headers, body } = await harness.now.request("GET", path, { token: project.admin.token });
      await body?.cancel();
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
    }
  });

  test.each(["/api/auth/me", "/trpc/auth.me?input=%7B%22json%22%3A%7B%7D%7D"])(
    "tells at %s by which scheme a caller may become known",
    async (path) => {
      const { status, headers, body } = await harness.now.request("GET", path);
      await body?.cancel();
      expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    },
  );

  test("asks browsers to stay with https where that is the service's address, and to read it for nobody else", async () => {
    const secure = await openHarness({ env: { PUBLIC_URL: "https://tickets.test" } });
    try {
      for (const [one, strict] of [[secure, "max-age=15552000"], [harness.now, null]] as const) {
        const { headers } = await one.request("GET", "/healthz");
        expect(headers.get("strict-transport-security")).toBe(strict);
        expect(headers.get("cross-origin-resource-policy")).toBe("same-site");
      }
    } finally {
      await secure.close();
    }
  });

  test("may be kept where it says so itself, as the documents' files do", async () => {
    const { headers, body } = await harness.now.request("GET", "/api/docs/swagger-ui.css");
    await body?.cancel();
    expect(headers.get("cache-control")).toBe("public, max-age=3600");
  });

  test("of a fault says a fixed sentence, and nothing of the inside, which the log tells", async () => {
    // A missing table is the only way to cause a fault from outside.
    const broken = await makeProject(harness.now);
    const logged = vi.spyOn(log, "error");
    await harness.now.sql`alter table tickets rename to tickets_gone`;
    try {
      const answers = [
        await harness.now.call("GET", `${broken.path}/tickets`, { token: broken.admin.token }),
        await post(harness.now, broken, { body: ticketInput({ title: "A title to look for" }) }),
      ];
      for (const answer of answers) {
        expectError(answer, 500, "internal");
        expect(answer.body.error).toBe("The service failed to handle this call");
        expect(JSON.stringify(answer.body)).not.toContain("A title to look for");
      }
      const trpc = await harness.now.request("POST", "/trpc/tickets.create", {
        token: broken.admin.token,
        body: { json: { id: broken.id, ...ticketInput() } },
      });
      const text = await trpc.text();
      expect(trpc.status).toBe(500);
      expectNoInside(text);
      const ids = [...answers, trpc].map(({ headers }) => headers.get("x-request-id"));
      expect(logged.mock.calls).toMatchObject(ids.map((request_id) => ["request failed", { request_id }]));
    } finally {
      logged.mockRestore();
      await harness.now.sql`alter table tickets_gone rename to tickets`;
    }
    expect((await post(harness.now, broken, { body: ticketInput() })).status).toBe(201);
  });
});
