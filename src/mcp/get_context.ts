import { z } from "zod";
import { OffsetTime, ProjectRole } from "../core/schema.ts";
import type { NewsItem } from "../news/schema.ts";
import { QuestionStatus } from "../questions/schema.ts";
import { cutText, rowsWithin } from "./_budget.ts";
import { Agent } from "./_fields.ts";
import { Happened, happened } from "./_happened.ts";
import { QuestionRow, questionRow } from "./_questions.ts";
import { HeldRow, heldRow } from "./_rows.ts";
import { type Caller, defineTool } from "./tool.ts";

/** The most projects that are listed, and the most projects whose claimed tasks are looked up. */
const MAX_PROJECTS = 50;
const MAX_LOOKED_UP = 10;
const MAX_HELD = 20;
const MAX_OTHERS = 5;
/** The most questions in each list, and the most bytes of each text of a question. */
const MAX_QUESTIONS = 10;
const QUESTION_BYTES = 250;
/** The most bytes of each of the four lists. */
const LIST_BYTES = 5_000;

/** The most news in a look, and the most bytes of the text of each. */
const MAX_NEWS = 20;
const NEWS_BYTES = 400;

type Looking = Caller<"projects.list" | "questions.listAsked" | "tasks.listOfProject" | "news.list">;

export const getContext = defineTool({
  name: "get_context",
  title: "See who you are and what waits for you",
  description:
    "Start here. Shows what others did since you last looked (answers to your questions, decided test cases, comments), " +
    "your open questions, the tasks that you hold under your name, and your projects.",
  calls: ["projects.list", "questions.listAsked", "news.list"],
  optional: ["tasks.listOfProject"],
  others: [
    "answered",
    "happened",
    "open_questions",
    "projects.name",
    "held_tasks.title",
    "claimed_by_your_other_agents.title",
  ],
  input: z.strictObject({
    agent: Agent,
    since: OffsetTime.optional().describe("Tell again what happened after this time"),
  }),
  output: z.object({
    answered: z.array(QuestionRow).describe("Your questions that were answered or ended in another way"),
    happened: z.array(Happened).describe("Oldest first"),
    more_happened: z.string().optional(),
    open_questions: z.array(QuestionRow),
    projects: z.array(z.object({ key: z.string(), name: z.string(), role: ProjectRole })),
    held_tasks: z.array(HeldRow),
    claimed_by_your_other_agents: z.array(HeldRow).describe(
      "Not yours, unless you are the agent that it names",
    ),
  }),
  async run(caller, { agent, since }) {
    const { news, more } = await caller.call("news.list", { agent, since, limit: MAX_NEWS });
    const answers = news.filter(({ mine }) => mine);
    const others = news.filter(({ mine }) => !mine).map((item) => happened(item, NEWS_BYTES));
    caller.told(agent, news.map(({ id }) => id));
    const { projects } = await caller.call("projects.list", { limit: MAX_PROJECTS });
    return {
      answered: answers.map(answerRow),
      happened: others,
      ...(more && { more_happened: "There is more: read these, act on them, and call get_context again." }),
      open_questions: await openQuestions(caller),
      projects: fitting(projects.map(({ key, name, my_role: role }) => ({ key, name, role }))),
      ...await heldTasks(caller, projects.slice(0, MAX_LOOKED_UP).map(({ id }) => id), agent),
    };
  },
});

/**
 * Returns the tasks that this key holds under this name, and a few that other agents of the same
 * user hold. An agent that forgot its name finds it there.
 */
async function heldTasks(
  { call, may, userId }: Looking,
  projectIds: readonly string[],
  session_id: string | undefined,
) {
  if (!may("tasks.listOfProject")) return { held_tasks: [], claimed_by_your_other_agents: [] };
  const read = async (held: boolean, limit: number) => {
    const pages = await Promise.all(
      projectIds.map((id) =>
        call("tasks.listOfProject", {
          id,
          assignee_user_id: userId,
          status: "unfinished",
          held,
          session_id,
          limit,
        })
      ),
    );
    const claims = pages.flatMap(({ tasks }) => tasks).filter((task) => task.assignee_session_id !== null);
    return fitting(claims.slice(0, limit).map(heldRow));
  };
  const [held_tasks, claimed_by_your_other_agents] = await Promise.all([
    read(true, MAX_HELD),
    read(false, MAX_OTHERS),
  ]);
  return { held_tasks, claimed_by_your_other_agents };
}

/** The caller's own question, as the news tell of its end. */
function answerRow(item: NewsItem): z.infer<typeof QuestionRow> {
  const { entity_id: question_id, ticket_ref: ticket, subject, type, chosen, text, by, at } = item;
  const status = QuestionStatus.parse(type.split(".")[1]);
  const rest = "get_ticket with part questions has the rest";
  return {
    question_id,
    ticket,
    prompt: cutText(subject ?? "", QUESTION_BYTES, rest),
    status,
    answer: status === "answered"
      ? {
        chosen: chosen.map((label) => cutText(label, QUESTION_BYTES, rest)),
        text: cutText(text, NEWS_BYTES, rest),
        by: by.id === null ? "default, because nobody answered in time" : by.name ?? "unknown",
        at,
      }
      : null,
  };
}

async function openQuestions({ call }: Looking) {
  const { questions } = await call("questions.listAsked", { status: "pending", limit: MAX_QUESTIONS });
  return fitting(questions.map((question) => questionRow(question, QUESTION_BYTES)));
}

function fitting<Row>(rows: readonly Row[]): Row[] {
  return rowsWithin(rows, LIST_BYTES).rows;
}
