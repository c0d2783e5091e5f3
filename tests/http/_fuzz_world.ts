import { SignJWT } from "jose";
import { v7 as uuid } from "uuid";
import { Scope } from "../../src/core/schema.ts";
import type { GitHubMock } from "../../lab/simulators/github/mock.ts";
import { agentDelivery } from "../../lab/simulators/senders/agent.ts";
import {
  makeKey,
  makeMember,
  makeProject,
  makeTicket,
  makeUser,
  next,
  type TestProject,
  type TestUser,
} from "../factories.ts";
import type { CallOptions, Harness } from "../harness.ts";
import { makePerson, signIn } from "../sessions/sign_in.ts";

const SCOPES = Scope.options;

export const SECRETS = {
  agent: "agent-secret-of-the-tests",
  cron: "cron-secret-of-the-tests",
  payment: "whsec_payment_of_the_tests",
  github: "github-secret-of-the-tests",
};

/** One account and one thing of each kind in it. */
export type Things = Record<
  | "account"
  | "user"
  | "project"
  | "ticket"
  | "ref"
  | "task"
  | "case"
  | "comment"
  | "question"
  | "webhook"
  | "label"
  | "milestone"
  | "view"
  | "column"
  | "link"
  | "run"
  | "agent"
  | "suggestion"
  | "survey"
  | "code"
  | "key"
  | "session"
  | "delivery"
  | "job"
  | "hookRun"
  | "email"
  | "password"
  | "access"
  | "refresh"
  | "invitation"
  | "hosting",
  string
>;

/** Credentials that must never give access. */
export const NOBODIES = ["none", "garbage", "scheme", "forged", "expired", "unknown key", "expired key"];

export const SOMEBODIES = [
  "viewer",
  "member",
  "project admin",
  "account admin",
  "super admin",
  "person",
  "bot",
  "cookie",
  "viewer's cookie",
  "cookie from elsewhere",
  ...SCOPES.map((scope) => `key ${scope}`),
  "key with all",
  "key of the project",
  "key of a super admin",
];

/** Two accounts that know nothing of each other, and callers of every kind in the first. */
export class World {
  readonly own: Things;
  readonly other: Things;
  readonly #credentials: Record<string, CallOptions>;

  private constructor(own: Things, other: Things, credentials: Record<string, CallOptions>) {
    this.own = own;
    this.other = other;
    this.#credentials = credentials;
  }

  static async make(harness: Harness, github: GitHubMock): Promise<World> {
    const [project, elsewhere] = [
      await makeProject(harness, { repositories: ["acme/app"] }),
      await makeProject(harness, { repositories: ["acme/web"] }),
    ];
    for (const name of ["acme/app", "acme/web"]) github.state.addRepository(name);
    const own = { ...await makeThings(harness, project), ...await makePeople(harness, github, project) };
    const other = {
      ...await makeThings(harness, elsewhere),
      ...await makePeople(harness, github, elsewhere),
    };
    return new World(own, other, {
      ...await makeCredentials(harness, project),
      person: { token: own.access },
    });
  }

  as(kind: string): CallOptions {
    const credential = this.#credentials[kind];
    if (!credential) throw new Error(`no credential ${kind}`);
    return credential;
  }

  /** Puts ids into the places that `idOf` left for them. */
  fill(text: string): string {
    return text.replace(/\{\{(own|other)\.(\w+)\}\}/g, (_, whose: "own" | "other", thing: keyof Things) => {
      const id = this[whose][thing];
      if (id === undefined) throw new Error(`the world has no ${thing}`);
      return id;
    });
  }
}

type People = Pick<Things, "email" | "password" | "access" | "refresh" | "invitation" | "hosting">;

async function makeThings(harness: Harness, project: TestProject): Promise<Omit<Things, keyof People>> {
  const { sql } = harness;
  const { token } = project.admin;
  const make = async (path: string, body: Record<string, unknown>, as = token) => {
    const answer = await harness.call("POST", path, { token: as, body });
    if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const ticket = await makeTicket(harness, project, { roles: ["qa", "backend"] });
  const task = await make(`${ticket.path}/tasks`, { title: "One", role: "qa" });
  const testCase = await make(`${ticket.path}/test-cases`, { title: "Try", instruction: "Look." });
  const comment = await make(`${ticket.path}/comments`, { body: "Look there" });
  const question = await make(`${ticket.path}/questions`, { prompt: "Which limit?" });
  const webhook = await make(`${project.path}/webhooks`, { url: "https://example.com/hook" });
  const label = await make(`${project.path}/labels`, { name: "bug" });
  const milestone = await make(`${project.path}/milestones`, { name: "1.0" });
  const view = await make("/views", { name: "Mine", project_id: project.id });
  const column = await make(`${project.path}/columns`, { stage: "backlog", name: "Next" });
  const link = await make(`${ticket.path}/links`, {
    kind: "relates",
    ticket: (await makeTicket(harness, project)).id,
  });
  const agent = `bc_${uuid()}`;
  const run = await make(`${ticket.path}/agent-runs`, { agent_id: agent });
  const user = await makeMember(harness, project, "member");
  const root = await makeUser(harness, { role: "super_admin", accountId: project.accountId });
  const survey = await make("/admin/scope-surveys", {
    code: `survey-${next()}`,
    title: "What next",
    questions: [{ key: "q", type: "text", text: "What?", required: false }],
  }, root.token);
  const [suggestion, hookRun] = [uuid(), uuid()];
  await sql`
    insert into suggestions (id, project_id, kind, ticket_id, title, rationale, confidence, evidence, fingerprint)
    values (${suggestion}::uuid, ${project.id}::uuid, 'stale', ${ticket.id}::uuid, 'Old', 'Nobody came', 0.9,
      '{"proposal": "move_to_backlog", "stage": "backlog"}'::jsonb, ${suggestion})`;
  await sql`insert into hook_runs (id, user_id) values (${hookRun}::uuid, ${project.admin.id}::uuid)`;
  const sent = agentDelivery(SECRETS.agent, {
    id: agent,
    status: "CREATING",
    timestamp: "2026-11-20T10:00:00Z",
  });
  await harness.call("POST", sent.path, { headers: sent.headers, raw: sent.body });
  const [delivery] = await sql<
    { id: string }[]
  >`select id from inbound_deliveries order by received_at desc limit 1`;
  const job = await harness.boss.send("prune", {}) ?? uuid();
  await sql`update pgboss.job set state = 'failed' where id = ${job}::uuid`;
  const key = await makeKey(harness, project.admin);
  return {
    account: project.accountId,
    user: user.id,
    project: project.id,
    ticket: ticket.id,
    ref: ticket.ref,
    task: task.id,
    case: testCase.id,
    comment: comment.id,
    question: question.id,
    webhook: webhook.id ?? webhook.webhook?.id,
    label: label.id,
    milestone: milestone.id,
    view: view.id,
    column: column.id,
    link: link.id,
    run: run.id,
    agent,
    suggestion,
    survey: survey.id,
    code: survey.code,
    key: key.id,
    session: user.sessionId,
    delivery: delivery!.id,
    job,
    hookRun,
  };
}

/**
 * Makes a person who signs in by password, one who is invited, and an admin whose code-hosting
 * account is linked.
 */
async function makePeople(harness: Harness, github: GitHubMock, { admin }: TestProject): Promise<People> {
  const person = await makePerson(harness, { admin, role: "admin" });
  const { access, refresh } = await signIn(harness, person);
  const invited = await harness.call("POST", "/users", {
    token: admin.token,
    body: { email: `invited${next()}@example.test`, name: "Invited" },
  });
  const hosting = `ghp_${"a".repeat(30)}${next()}`;
  github.state.addToken(hosting, { login: `octocat${next()}` });
  await harness.call("PUT", "/integrations/github", { token: admin.token, body: { token: hosting } });
  return {
    email: person.email,
    password: person.password,
    access,
    refresh,
    invitation: new URL(invited.body.invite_url).hash.slice(1),
    hosting,
  };
}

async function makeCredentials(
  harness: Harness,
  project: TestProject,
): Promise<Record<string, CallOptions>> {
  const token = (user: TestUser | { token: string }): CallOptions => ({ token: user.token });
  const cookie = (user: TestUser, origin = "http://handoff.test"): CallOptions => ({
    headers: { cookie: `session=${user.token}`, origin },
  });
  const { admin, accountId } = project;
  const viewer = await makeMember(harness, project, "viewer");
  const root = await makeUser(harness, { role: "super_admin", accountId });
  const keyed = (scopes: string[], options: { projectId?: string; expiresAt?: string } = {}) =>
    makeKey(harness, admin, { scopes, ...options }).then(token);
  return {
    none: {},
    garbage: { headers: { authorization: "Bearer garbage" } },
    scheme: { headers: { authorization: "Basic YTpi" } },
    forged: { token: await sign(admin, new Uint8Array(32), harness, "2h") },
    expired: { token: await sign(admin, harness.services.secrets.auth[0].bytes, harness, "-2h") },
    "unknown key": { headers: { authorization: `Bearer hk_${"a".repeat(46)}` } },
    "expired key": await keyed([...SCOPES], { expiresAt: "2026-01-01T00:00:00Z" }),
    viewer: token(viewer),
    member: token(await makeMember(harness, project, "member")),
    "project admin": token(await makeMember(harness, project, "admin")),
    "account admin": token(await makeUser(harness, { accountId, role: "admin" })),
    "super admin": token(root),
    bot: token(await makeMember(harness, project, "member", "bot")),
    cookie: cookie(admin),
    "viewer's cookie": cookie(await makeMember(harness, project, "viewer")),
    "cookie from elsewhere": cookie(viewer, "https://elsewhere.test"),
    ...Object.fromEntries(
      await Promise.all(SCOPES.map(async (scope) => [`key ${scope}`, await keyed([scope])])),
    ),
    "key with all": await keyed([...SCOPES]),
    "key of the project": await keyed([...SCOPES], { projectId: project.id }),
    "key of a super admin": token(await makeKey(harness, root, { scopes: [...SCOPES] })),
  };
}

function sign(user: TestUser, secret: Uint8Array, harness: Harness, expires: string): Promise<string> {
  return new SignJWT({ sid: user.sessionId }).setSubject(user.id).setIssuedAt(1).setExpirationTime(expires)
    .setProtectedHeader({ alg: "HS256", kid: harness.services.secrets.auth[0].id }).sign(secret);
}
