import { z } from "zod";
import { OffsetTime, ProjectRole } from "../core/schema.ts";
import { rowsWithin } from "./_budget.ts";
import { QuestionRow, questionRow } from "./_questions.ts";
import { HeldRow, heldRow } from "./_rows.ts";
import { type Caller, defineTool } from "./tool.ts";

/** The most projects that are listed, and the most projects whose claimed tasks are looked up. */
const MAX_PROJECTS = 50;
const MAX_LOOKED_UP = 10;
const MAX_HELD = 20;
/** The most questions in each list, and the most bytes of each text of a question. */
const MAX_QUESTIONS = 10;
const QUESTION_BYTES = 250;
/** The most bytes of each of the four lists. */
const LIST_BYTES = 5_000;

type Looking = Caller<"projects.list" | "questions.listAsked" | "tasks.listOfProject">;

export const getContext = defineTool({
  name: "get_context",
  title: "See who you are and what waits for you",
  description:
    "Start here. Shows the answers that came to your questions, those still open, the tasks that you hold, and your " +
    "projects.",
  calls: ["projects.list", "questions.listAsked"],
  optional: ["tasks.listOfProject"],
  input: z.strictObject({
    since: OffsetTime.optional().describe("Only answers after this time; if absent, answers of the last day"),
  }),
  output: z.object({
    answered: z.array(QuestionRow).describe(
      "Questions that were answered or ended in another way, newest first",
    ),
    open_questions: z.array(QuestionRow),
    projects: z.array(z.object({ key: z.string(), name: z.string(), role: ProjectRole })),
    held_tasks: z.array(HeldRow).describe("Assigned to the user of this key and not finished"),
  }),
  async run(caller, { since = dayAgo() }) {
    const { projects } = await caller.call("projects.list", { limit: MAX_PROJECTS });
    return {
      answered: await asked(caller, { ended_after: since }),
      open_questions: await asked(caller, { status: "pending" }),
      projects: fitting(projects.map(({ key, name, my_role: role }) => ({ key, name, role }))),
      held_tasks: await heldTasks(caller, projects.slice(0, MAX_LOOKED_UP).map(({ id }) => id)),
    };
  },
});

async function heldTasks({ call, may, userId }: Looking, projectIds: readonly string[]) {
  if (!may("tasks.listOfProject")) return [];
  const pages = await Promise.all(
    projectIds.map((id) =>
      call("tasks.listOfProject", { id, assignee_user_id: userId, status: "unfinished", limit: MAX_HELD })
    ),
  );
  return fitting(pages.flatMap(({ tasks }) => tasks).slice(0, MAX_HELD).map(heldRow));
}

function dayAgo(): string {
  return new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString();
}

async function asked({ call }: Looking, which: { status: "pending" } | { ended_after: string }) {
  const { questions } = await call("questions.listAsked", { ...which, limit: MAX_QUESTIONS });
  return fitting(questions.map((question) => questionRow(question, QUESTION_BYTES)));
}

function fitting<Row>(rows: readonly Row[]): Row[] {
  return rowsWithin(rows, LIST_BYTES).rows;
}
