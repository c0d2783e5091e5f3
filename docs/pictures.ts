import type { Browser } from "playwright-core";
import { launchService, untilAnswers } from "../ops/launch.ts";
import { freePort } from "../ops/launch.ts";
import { buildPortal } from "../tests/build_portal.ts";
import { openBrowser } from "../tests/open_browser.ts";
import { type Call, makeWorld } from "../tests/portal/world.ts";

/** Makes the pictures of docs/portal.md from a service of its own: `deno run -A docs/pictures.ts`. */

const FOLDER = new URL("./pictures/", import.meta.url);
const ADMIN = { email: "admin@localhost", password: "correct horse battery" };

const DESCRIPTION = `Open the page with two browsers, change the same thing in both and save.

The one who saves last wins without a warning, and the other's text is gone.`;

interface Picture {
  name: string;
  path: string;
  /** Is there before the picture is taken. */
  shown: string;
  size?: [width: number, height: number];
  dark?: true;
  /** Typed into the title of a new ticket. */
  title?: string;
  /** Pressed before the picture is taken, in this order. */
  press?: string[];
}

/** Taken of the installation while it is new. */
const WELCOME: Picture = { name: "welcome", path: "/", shown: "Create a project" };

const PICTURES: Picture[] = [
  { name: "waiting", path: "/", shown: "Which recovery do we offer" },
  { name: "board", path: "/HO/board", shown: "Upload of large" },
  { name: "ticket", path: "/HO/board?ticket=HO-11", shown: "Suggested resolution" },
  {
    name: "new_ticket",
    path: "/HO/board?create=true",
    shown: "Similar open",
    title: "Two people editing one note overwrite each other",
  },
  { name: "list", path: "/HO/list", shown: "Upload of large", dark: true },
  { name: "suggestions", path: "/HO/suggestions", shown: "Suggestions" },
  { name: "mentions", path: "/HO/tickets/HO-12", shown: "Steps to see it", press: ["Conversation"] },
  { name: "webhooks", path: "/HO/settings", shown: "No webhook is set up", dark: true },
  { name: "notifications", path: "/settings/notifications", shown: "All news" },
  { name: "phone", path: "/HO/tickets/HO-13", shown: "Steps to see it", size: [390, 844], dark: true },
];

async function main(): Promise<void> {
  await buildPortal();
  await Deno.mkdir(FOLDER, { recursive: true });
  const dataDir = await Deno.makeTempDir({ prefix: "handoff-pictures-" });
  const PORT = String(freePort());
  const url = `http://127.0.0.1:${PORT}`;
  const settings = { PORT, DATA_DIR: dataDir, ADMIN_PASSWORD: ADMIN.password, LOG_LEVEL: "warning" };
  const service = launchService(settings, { stdout: "null" });
  const browser = await openBrowser();
  try {
    await untilAnswers(`${url}/readyz`, service);
    await take(browser, url, WELCOME);
    await makeWorld(await callAs(url), ADMIN.password);
    for (const picture of PICTURES) await take(browser, url, picture);
  } finally {
    await browser.close();
    service.kill("SIGTERM");
    await service.status;
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** Calls below /api, signed in as the first admin. */
async function callAs(url: string): Promise<Call> {
  const send: Call = async (method, path, body, token) => {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const { access_token } = await send("POST", "/auth/login", ADMIN);
  return (method, path, body, token) => send(method, path, body, token ?? access_token);
}

async function take(browser: Browser, url: string, picture: Picture): Promise<void> {
  const { name, path, shown, size: [width, height] = [1440, 900], dark, title, press = [] } = picture;
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    locale: "en-GB",
  });
  await context.request.post("/api/auth/session", { data: ADMIN, headers: { origin: url } });
  const page = await context.newPage();
  await page.goto(path);
  await page.getByText(shown).first().waitFor();
  if (title) {
    await page.getByLabel("Title").fill(title);
    await page.getByLabel("Description").fill(DESCRIPTION);
    await page.getByText(/found\. Is it/).waitFor();
  }
  for (const tab of press) await page.getByRole("tab", { name: tab }).click();
  if (name === "mentions") await page.getByLabel("Comment", { exact: true }).pressSequentially("Could you @");
  if (name === "webhooks") {
    const part = page.getByRole("region", { name: "Webhooks", exact: true });
    await part.getByLabel("Address").fill("https://chat.example.com/hooks/7");
    await part.getByRole("button", { name: "Add webhook" }).click();
    await part.getByText(/^whsec_/).waitFor();
    await part.scrollIntoViewIfNeeded();
  }
  await page.waitForTimeout(700);
  await page.screenshot({ path: new URL(`${name}.png`, FOLDER).pathname });
  await context.close();
}

if (import.meta.main) await main();
