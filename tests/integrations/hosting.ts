import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type GitHubDelivery, GitHubEvents, signedDelivery } from "../../lab/simulators/github/events.ts";
import { GitHubMock } from "../../lab/simulators/github/mock.ts";
import { makeProject, makeUser, next, type TestProject, type TestUser } from "../factories.ts";
import { type Answer, type Harness, openHarness } from "../harness.ts";

export const SECRET = "hook-secret-for-tests";

/**
 * The app with a GitHub of its own. Every request to the mock must be allowed by GitHub's
 * description.
 */
export class Hosting {
  constructor(
    readonly harness: Harness,
    readonly github: GitHubMock,
    readonly events: GitHubEvents,
    /** The environment for a second process over the same database. */
    readonly env: Record<string, string>,
  ) {}

  /** Links a user's account at the mock. */
  async link(user: TestUser, token = `ghp_${"a".repeat(30)}${next()}`): Promise<string> {
    this.github.state.addToken(token, { login: `octocat${next()}` });
    const { status, body } = await this.harness.call("PUT", "/integrations/github", {
      token: user.token,
      body: { token },
    });
    if (status !== 200) throw new Error(`not linked: ${JSON.stringify(body)}`);
    return token;
  }

  /** Makes a project with repositories that exist at the mock, and links its admin. */
  async project(count: number): Promise<TestProject & { repositories: string[] }> {
    const repositories = Array.from({ length: count }, () => `acme/Repo-${next()}`);
    for (const name of repositories) this.github.state.addRepository(name);
    const admin = await makeUser(this.harness, { role: "admin" });
    const project = await makeProject(this.harness, { admin, repositories });
    await this.link(admin);
    return { ...project, repositories };
  }

  setUp(user: TestUser, body: Record<string, unknown> = {}): Promise<Answer> {
    return this.harness.call("POST", "/integrations/webhooks", { headers: cookie(user), body });
  }

  async deliver(delivery: GitHubDelivery, id?: string): Promise<Answer> {
    const { body, headers } = await signedDelivery(delivery, { secret: SECRET, ...(id && { id }) });
    return await this.harness.call("POST", "/webhooks/github", { raw: body, headers });
  }
}

export function cookie(user: TestUser): Record<string, string> {
  return { cookie: `session=${user.token}`, origin: "http://handoff.test" };
}

/** Makes a mocked GitHub and an app for a test file. Call it at the top of the file. */
export function useHosting(env: Record<string, string> = {}): { readonly now: Hosting } {
  let hosting: Hosting | undefined;
  beforeAll(async () => {
    const github = await GitHubMock.start();
    const all = { GITHUB_API_URL: github.url, GITHUB_WEBHOOK_SECRET: SECRET, ...env };
    hosting = new Hosting(await openHarness({ env: all }), github, await GitHubEvents.load(), all);
  });
  afterEach(() => {
    expect(hosting!.github.violations).toEqual([]);
    hosting!.github.failures.clear();
  });
  afterAll(async () => {
    await hosting?.harness.close();
    await hosting?.github.close();
  });
  return {
    get now() {
      if (!hosting) throw new Error("the harness starts before the first test");
      return hosting;
    },
  };
}
