import { expect, test, vi } from "vitest";
import { makeUser, next } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { openBrowser } from "../open_browser.ts";

const harness = useHarness();

test("an invite link leads to a page whose parts all come from the service", async () => {
  const admin = await makeUser(harness.now, { role: "admin" });
  const { body } = await harness.now.call("POST", "/users", {
    token: admin.token,
    body: { email: `invited${next()}@example.test`, name: "Invited" },
  });
  const link = new URL(body.invite_url);
  const page = await harness.now.request("GET", link.pathname);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; script-src 'self'; style-src 'self'/,
  );
  expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  const parts = [...(await page.text()).matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)]
    .map((match) => match[1]!);
  expect(parts).toEqual(["data:,", "/invite/page.css", "/invite/page.js"]);
  for (const path of parts.slice(1)) {
    const part = await harness.now.request("GET", path);
    expect(part.status).toBe(200);
    expect(await part.text()).not.toBe("");
  }
});

/** Runs the invite page's script in as much of a browser as it asks for. */
async function openInvite(hash: string) {
  const script = await (await harness.now.request("GET", "/invite/page.js")).text();
  const focused: string[] = [];
  const inputs = ["password", "repeated"].map((id) => ({ focus: () => focused.push(id) }));
  const form = { hidden: true, querySelectorAll: () => inputs, addEventListener: () => undefined };
  const message = { setAttribute: () => undefined, textContent: "" };
  const document = { querySelector: (selector: string) => selector === "#form" ? form : message };
  const location = { hash, reload: vi.fn() };
  const window = new EventTarget();
  new Function("document", "location", "addEventListener", script)(
    document,
    location,
    window.addEventListener.bind(window),
  );
  return { form, message, focused, location, window };
}

test("the page of a whole link shows its form and begins in it", async () => {
  const { form, focused } = await openInvite("#token");
  expect([form.hidden, focused]).toEqual([false, ["password"]]);
});

test("the page of half a link asks for the whole link, and loads again when its address becomes that", async () => {
  const { form, message, location, window } = await openInvite("");
  expect([form.hidden, message.textContent]).toEqual([true, expect.stringContaining("incomplete")]);
  window.dispatchEvent(new Event("hashchange"));
  expect(location.reload).toHaveBeenCalledOnce();
});

test("the documents' page leads to the document itself where scripts are off", async () => {
  const page = await (await harness.now.request("GET", "/api/docs")).text();
  expect(page).toMatch(/<noscript>.*<a href="\/api\/openapi.json">/);
});

test("/api leads to the documents", async () => {
  const { status, headers } = await harness.now.request("GET", "/api");
  expect([status, headers.get("location")]).toEqual([302, "/api/docs"]);
});

test("a file of the documents' page that could not be read is read when it is asked for again", async () => {
  const read = vi.spyOn(Deno, "readFile").mockRejectedValueOnce(new Error("too many open files"));
  const ask = async () => (await harness.now.request("GET", "/api/docs/swagger-ui.css")).status;
  expect([await ask(), await ask()]).toEqual([500, 200]);
  read.mockRestore();
});

test.each(["openapi.json", "docs/swagger-ui-bundle.js"])(
  "of %s all are sent the same bytes, in parts",
  async (file) => {
    const begin = async () => {
      const { body } = await harness.now.request("GET", `/api/${file}`);
      const reader = body!.getReader();
      const { value } = await reader.read();
      await reader.cancel();
      return value!;
    };
    const [one, other] = [await begin(), await begin()];
    // A page that nobody reads to its end keeps no copy of the rest.
    expect(one.buffer === other.buffer).toBe(true);
    expect(one.length).toBeLessThanOrEqual(64 * 1024);
  },
);

test("the token of an invite link sets the password once", async () => {
  const admin = await makeUser(harness.now, { role: "admin" });
  const email = `invited${next()}@example.test`;
  const { body } = await harness.now.call("POST", "/users", {
    token: admin.token,
    body: { email, name: "Invited" },
  });
  const token = new URL(body.invite_url).hash.slice(1);
  const accept = (password: string) =>
    harness.now.call("POST", "/users/invitations/accept", { body: { token, password } });
  expect(await accept("short")).toMatchObject({
    status: 400,
    body: { fieldErrors: { password: expect.any(String) } },
  });
  expect(await accept("a long enough one")).toMatchObject({ status: 200, body: { email } });
  expect(await accept("a long enough two")).toMatchObject({ status: 404, body: { code: "not_found" } });
  const login = (password: string) => harness.now.call("POST", "/auth/login", { body: { email, password } });
  expect((await login("a long enough one")).status).toBe(200);
  expect((await login("a long enough two")).status).toBe(401);
});

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

test.each([["/api/", "/api/docs"], ["/api/docs/", "/api/docs"], ["/invite/", "/invite"]])(
  "%s leads to %s",
  async (from, to) => {
    const { status, headers } = await harness.now.request("GET", from);
    expect([status, headers.get("location")]).toEqual([302, to]);
  },
);

test.each([
  ["/nowhere", 404, "There is nothing here", "Go to the first page"],
  ["/api/nowhere", 404, "There is nothing here", "Go to the first page"],
  [`/api/projects/${crypto.randomUUID()}/tickets/HO-1`, 401, "You are not signed in", "Sign in"],
])("a browser that goes to %s gets a page, and a program gets JSON", async (path, status, title, link) => {
  const page = await harness.now.request("GET", path, { headers: BROWSER });
  expect([page.status, page.headers.get("content-type")]).toEqual([status, "text/html; charset=UTF-8"]);
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
  const text = await page.text();
  expect(text).toContain(`<h1>${title}</h1>`);
  expect(text).toContain(`<a href="/">${link}</a>`);
  expect(text).toContain(page.headers.get("x-request-id"));
  for (const headers of [{}, { accept: "*/*" }, { accept: "application/json" }] as Record<string, string>[]) {
    const answer = await harness.now.request("GET", path, { headers });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([status, "application/json"]);
    expect(answer.headers.get("vary")).toContain("Accept");
  }
});

test.each([
  ["text/html", true],
  ["TEXT/HTML", true],
  ["text/*", true],
  ["image/avif, */*;q=0.8, text/html;q=0.9", true],
  ["text/html;q=0.5, application/json;q=0.9", false],
  ["application/json, text/html;q=0.5", false],
  ["text/html;q=0", false],
  ["text/html;q=0, */*", false],
  ["image/avif,image/webp,*/*;q=0.8", false],
  ["no type at all", false],
])("a caller that accepts %s gets a page: %s", async (accept, isPage) => {
  const { status, headers } = await harness.now.request("GET", "/nowhere", { headers: { accept } });
  expect([status, headers.get("content-type")!.startsWith("text/html")]).toEqual([404, isPage]);
});

test("what an address holds is no markup in the page", async () => {
  const page = await harness.now.request("GET", "/%3Cscript%3Ealert(1)%3C/script%3E", { headers: BROWSER });
  expect(page.status).toBe(404);
  expect(await page.text()).not.toContain("<script");
});

test("a browser's write is answered with JSON", async () => {
  const { status, headers } = await harness.now.request("POST", "/api/keys", { headers: BROWSER });
  expect([status, headers.get("content-type")]).toEqual([401, "application/json"]);
});

test("a page's form that is refused gets a page, and a mail program gets JSON", async () => {
  const post = (headers: Record<string, string>) =>
    harness.now.request("POST", "/api/unsubscribe?token=of-nobody", {
      raw: "",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    });
  const page = await post(BROWSER);
  expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
  expect(await page.text()).toContain("<p>This link is not valid.</p>");
  const answer = await post({});
  expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json"]);
});

test("an invite link leads on to the sign-in, and a used one says to ask for another", async () => {
  const admin = await makeUser(harness.now, { role: "admin" });
  const { body } = await harness.now.call("POST", "/users", {
    token: admin.token,
    body: { email: `invited${next()}@example.test`, name: "Invited" },
  });
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) =>
      await harness.now.request(request.method, new URL(request.url).pathname, {
        headers: Object.fromEntries(request.headers),
        ...(request.body && { raw: await request.text() }),
      }),
  );
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const link = `http://127.0.0.1:${server.addr.port}/invite/${new URL(body.invite_url).hash}`;
    const setPassword = async () => {
      await page.goto("about:blank");
      await page.goto(link);
      await page.getByLabel("Password, at least 8 characters").fill("my own long password");
      await page.getByLabel("The same once more").fill("my own long password");
      await page.getByRole("button").click();
    };
    await setPassword();
    await page.getByRole("status").filter({ hasText: "Your password is set" }).waitFor();
    expect(await page.getByRole("link", { name: "Go on to the sign-in" }).getAttribute("href")).toBe("/");
    await setPassword();
    await page.getByRole("alert").filter({ hasText: "ask an admin of your account for a new one" })
      .waitFor();
  } finally {
    await browser.close();
    await server.shutdown();
  }
});
