import { beforeAll } from "vitest";
import {
  makeKey,
  makeMember,
  makeTicket,
  type TestProject,
  type TestTicket,
  type TestUser,
  useProject,
} from "./factories.ts";
import type { Answer, Harness } from "./harness.ts";

interface Caller {
  token: string;
}

/** A project with two people, an agent of each, and a bot. */
export class Talk {
  project!: TestProject;
  ann!: TestUser;
  ben!: TestUser;
  bot!: TestUser;
  /** The API keys of Ann and Ben. */
  annsKey!: { id: string; token: string };
  bensKey!: { id: string; token: string };
  readonly #harness: { now: Harness };

  constructor(harness: { now: Harness }) {
    this.#harness = harness;
  }

  async open(project: TestProject): Promise<void> {
    const harness = this.#harness.now;
    this.project = project;
    this.ann = await makeMember(harness, project, "member");
    this.ben = await makeMember(harness, project, "member");
    this.bot = await makeMember(harness, project, "member", "bot");
    this.annsKey = await makeKey(harness, this.ann);
    this.bensKey = await makeKey(harness, this.ben);
  }

  call(
    method: string,
    path: string,
    body?: Record<string, unknown>,
    { token }: Caller = this.ann,
  ): Promise<Answer> {
    return this.#harness.now.call(method, path, { token, body });
  }

  /** Makes a call that must succeed. */
  async done(method: string, path: string, body?: Record<string, unknown>, caller?: Caller) {
    const answer = await this.call(method, path, body, caller);
    if (answer.status >= 300) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  newTicket(fields: Record<string, unknown> = {}): Promise<TestTicket> {
    return makeTicket(this.#harness.now, this.project, fields);
  }

  /** Asks a question as Ann's agent, or as `caller`. */
  async ask(ticket: TestTicket, fields: Record<string, unknown> = {}, caller: Caller = this.annsKey) {
    const asked = { prompt: "Which limit shall uploads have?", ...fields };
    const body = await this.done("POST", `${ticket.path}/questions`, asked, caller);
    return { ...body, path: `${ticket.path}/questions/${body.id}` };
  }

  /** Makes a task that Ann's agent has claimed. */
  async claimedTask(
    ticket: TestTicket,
    caller: Caller = this.annsKey,
  ): Promise<{ id: string; path: string }> {
    const { id } = await this.done("POST", `${ticket.path}/tasks`, { title: "Upload", role: "backend" });
    const path = `${ticket.path}/tasks/${id}`;
    await this.done("POST", `${path}/claim`, {}, caller);
    return { id, path };
  }
}

export function useTalk(harness: { now: Harness }): Talk {
  const project = useProject(harness);
  const talk = new Talk(harness);
  beforeAll(() => talk.open(project));
  return talk;
}

export const DECISION = {
  kind: "decision",
  options: [{ id: "chunks", label: "No limit" }, { id: "2gb", label: "2 GB" }],
};
