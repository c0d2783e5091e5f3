import { expect } from "vitest";
import type { TransactionSql } from "../../db/open.ts";
import { linkPullRequest } from "../../src/pull_requests/link.ts";
import type { PullRequestFacts } from "../../lab/simulators/github/events.ts";
import { makeProject, next, type TestProject, type TestTicket } from "../factories.ts";
import type { Hosting } from "./hosting.ts";

export const CRON_SECRET = "deploy-secret-of-the-tests";

/** A commit's full name made of one letter. */
export const SHA = (letter: string) => letter.repeat(40);

/**
 * A time in GitHub's form, relative to now. Tickets are created before the events of their pull
 * requests.
 */
export const inMinutes = (count: number) =>
  new Date(Date.now() + count * 60_000).toISOString().replace(/\.\d{3}Z$/, "Z");

/**
 * Sends the reports of GitHub and the pipeline about merges, and reads the state of the tickets
 * after them.
 */
export class Merges {
  constructor(readonly hosting: () => Hosting) {}

  async ticket({ path }: TestTicket, { admin }: TestProject) {
    return (await this.hosting().harness.call("GET", path, { token: admin.token })).body;
  }

  async merge(facts: Partial<PullRequestFacts> & { repo: string }): Promise<void> {
    const number = facts.number ?? next();
    const delivery = this.hosting().events.pullRequest({ number, mergeSha: SHA("a"), ...facts });
    const { status, body } = await this.hosting().deliver(delivery);
    expect([status, body]).toEqual([200, { ok: true }]);
  }

  /** Makes a project that is wired to a repository. */
  async wired(repo = `acme/repo-${next()}`): Promise<{ project: TestProject; repo: string }> {
    return { project: await makeProject(this.hosting().harness, { repositories: [repo] }), repo };
  }

  deploy(repo: string, sha: string) {
    return this.hosting().harness.call("POST", "/webhooks/pipeline/deploy", {
      headers: { "x-cron-secret": CRON_SECRET },
      body: { repo, sha, environment: "production", status: "success" },
    });
  }

  /** Links a ticket to a pull request, as an agent's run does. */
  async link(
    ticket: TestTicket,
    project: TestProject,
    { repo, number }: { repo: string; number: number },
  ): Promise<void> {
    await this.hosting().harness.sql.begin((tx) => this.linkIn(tx, ticket, project, { repo, number }));
  }

  /** Does the same in a transaction that goes on. */
  async linkIn(
    tx: TransactionSql,
    ticket: TestTicket,
    project: TestProject,
    { repo, number }: { repo: string; number: number },
  ): Promise<void> {
    await tx`select set_config('handoff.actor', '{"kind":"webhook","id":"cloud_agent"}', true)`;
    await tx`select from tickets where id = ${ticket.id}::uuid for update`;
    const url = `https://github.com/${repo}/pull/${number}`;
    await linkPullRequest({ db: tx }, { repo, number, url }, [{ id: ticket.id, project_id: project.id }]);
  }
}
