import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { DESK, expectAccessible, NARROW, PASSWORD, PHONE, useBed } from "./_browser.ts";

const bed = useBed();

const step = (page: Page, place: number) => page.getByRole("listitem", { name: `Step ${place}:` });

test("a new installation leads to a project, a ticket and a connected agent in three steps", async () => {
  const { page } = await bed.now.visit();
  await page.goto("/");
  await page.getByLabel("Email").fill("admin@localhost");
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/welcome");
  // From here on each field has the focus when its turn comes.
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("name");
  await expectAccessible(page, [PHONE, NARROW, DESK]);
  await page.keyboard.type("Our first project");
  await page.keyboard.press("Enter");
  await step(page, 1).getByText("Our first project").waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("title");
  await page.keyboard.type("The export forgets the last row");
  await page.keyboard.press("Tab");
  await page.keyboard.type("With 1,000 rows, row 1,000 is missing in the file.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await step(page, 2).getByText("The export forgets").waitFor();
  // A reload loses none of the steps, because the service knows which are done.
  await page.reload();
  await step(page, 2).getByText("The export forgets").waitFor();
  // The first page leads back until the third step is done.
  await page.goto("/");
  await page.getByText("One first step is left: connect an agent.").waitFor();
  await page.getByRole("link", { name: "Go on" }).click();
  expect(await page.getByLabel("Name of the agent").inputValue()).toBe("Coding agent");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByText("Waits for the agent's first call…").waitFor();
  await expectAccessible(page, [PHONE, DESK]);
  const key = /hk_\w+/.exec((await page.getByText(/^claude mcp add/).textContent())!)![0];
  for (const client of ["Cursor", "VS Code", "Codex", "Gemini CLI"]) {
    await page.getByText(client, { exact: true }).click();
    const snippet = await page.locator("pre").nth(1).textContent();
    expect(snippet).toContain(`${bed.now.service.url}/mcp`);
    expect(snippet).toContain(key);
  }
  expect(await toolsOf(key)).toContain("claim_task");
  await page.getByText("The agent is connected.").waitFor();
  await page.goto("/");
  await page.getByText("Nothing waits for you.").waitFor();
  expect(await page.getByText("One first step is left").count()).toBe(0);
  await page.goto("/welcome");
  await step(page, 3).getByText("The agent is connected.").waitFor();
  await page.getByRole("link", { name: "Go to the board" }).click();
  await page.getByRole("region", { name: "Backlog" }).getByText("The export forgets").waitFor();
  bed.now.expectNoComplaints();
});

/** Connects as an agent does, with the command that the page shows, and looks at the project. */
async function toolsOf(key: string): Promise<string[]> {
  const agent = new Client({ name: "test", version: "1" });
  await agent.connect(
    new StreamableHTTPClientTransport(new URL(`${bed.now.service.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  const { tools } = await agent.listTools();
  await agent.callTool({ name: "get_context", arguments: {} });
  await agent.close();
  return tools.map(({ name }) => name);
}

test("a further project is made in the list of projects, and a member without a project is told so", async () => {
  const { page } = await bed.now.enter();
  await page.goto("/projects");
  await page.getByLabel("Name of the project").fill("Second thoughts");
  await page.getByRole("button", { name: "Create project" }).click();
  await page.getByRole("heading", { name: "Second thoughts", level: 1 }).waitFor();
  await bed.now.call("POST", "/users", { email: "lou@example.test", name: "Lou Low", password: PASSWORD });
  const { page: theirs } = await bed.now.enter("lou@example.test");
  await theirs.goto("/");
  await theirs.getByText("You are in no project yet.").waitFor();
  await theirs.goto("/projects");
  await theirs.getByText("No projects yet.").waitFor();
  expect(await theirs.getByLabel("Name of the project").count()).toBe(0);
  bed.now.expectNoComplaints();
});
