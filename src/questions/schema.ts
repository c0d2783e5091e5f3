import { z } from "zod";
import { PARTS } from "../core/parts.ts";
import { Speaker } from "../comments/schema.ts";
import {
  anyText,
  distinct,
  Id,
  line,
  NextCursor,
  OffsetTime,
  Page,
  queryInteger,
  text,
  Timestamp,
} from "../core/schema.ts";
import { SessionId } from "../tasks/schema.ts";
import { IdempotencyKey, Replayed, TicketPath } from "../tickets/schema.ts";

export const MAX_QUESTIONS = PARTS.question.most;
/** The longest that a call waits for an answer, in seconds. */
export const MAX_WAIT = 50;

export const QuestionTexts = {
  prompt: text(1, 5000),
  context: text(1, 10_000),
  answer: text(1, 10_000),
};

export const QuestionKind = z.enum(["question", "decision", "confirmation"]);
export const QuestionStatus = z.enum(["pending", "answered", "withdrawn", "superseded", "expired"]);
export type QuestionStatus = z.infer<typeof QuestionStatus>;
export const Resolver = z.enum(["human_only", "not_creator"]);
export const Selection = z.enum(["single", "multiple"]);

const OptionId = anyText(1, 64);
export const Option = z.strictObject({
  id: OptionId,
  label: line(1, 200),
  description: text(1, 2000).optional(),
});
export type Option = z.infer<typeof Option>;

/** The options of a confirmation. */
export const YES_OR_NO: Option[] = [{ id: "yes", label: "Yes" }, { id: "no", label: "No" }];

const Options = z.array(Option).min(2).max(12).refine(
  (options) => new Set(options.map(({ id }) => id)).size === options.length,
  "Names an id twice",
);

export const AddresseeRole = z.enum(["member", "admin"]);
const Addressee = z.strictObject({ user_id: Id.optional(), role: AddresseeRole.optional() })
  .refine(
    ({ user_id, role }) => (user_id === undefined) !== (role === undefined),
    "Name either user_id or role",
  )
  .meta({ minProperties: 1, maxProperties: 1 })
  .describe(
    "Who is asked: a user, or everybody who has at least this role in the project. Admins of the project may " +
      "answer for a user",
  );

/** A question as a person or agent asks it. */
const QuestionFields = z.object({
  kind: QuestionKind.default("question").describe(
    "question: answered by text; decision: by one or several of `options`; confirmation: by `yes` or `no`, with a note",
  ),
  prompt: QuestionTexts.prompt,
  context: QuestionTexts.context.optional().describe("Markdown"),
  options: Options.optional().describe("The options of a decision"),
  selection: Selection.optional().describe(
    "For a decision: how many options an answer may name; if absent, single",
  ),
  allow_text: z.boolean().default(true).describe(
    "For a decision: whether an answer may have a text in addition to options or in place of them",
  ),
  addressee: Addressee.optional().describe("When absent: anyone who may answer"),
  resolver: Resolver.default("human_only").describe(
    "human_only: only a person may answer; not_creator: another agent may answer too. No credential may answer " +
      "its own question",
  ),
  task_id: Id.optional().describe(
    "The task that waits for the answer; it is blocked until the question has ended",
  ),
  session_id: SessionId.optional().describe(
    "The id under which an agent claimed the task, or claims it by asking",
  ),
  about_version: z.int().min(1).optional().describe(
    "The version of the ticket to which the question refers. If the ticket has changed since, an answer needs `confirm_stale`",
  ),
  due_at: OffsetTime.optional().describe("When the question expires, to the minute"),
  default_option: OptionId.optional().describe(
    "The option that becomes the answer when the question expires. Not for a human_only confirmation. A bot client's " +
      "human_only decision with a default is due in an hour at the earliest",
  ),
}).shape;

export const CreateQuestion = TicketPath.extend({
  ...QuestionFields,
  idempotency_key: IdempotencyKey.optional(),
});
export type CreateQuestion = z.infer<typeof CreateQuestion>;

export const Answer = z.object({
  option_ids: z.array(z.string()),
  text: z.string().nullable(),
  by: z.enum(["person", "agent", "default"]).describe("default: nobody answered in time"),
  user_id: Id.nullable(),
  user_name: z.string().nullable(),
  at: Timestamp,
  imported: z.boolean().describe("The answer came with an import, so `user_name` is what its file says"),
}).meta({ id: "Answer" });

export const Question = z.object({
  id: Id,
  ticket_id: Id,
  ticket_ref: z.string(),
  project_id: Id,
  task_id: Id.nullable(),
  kind: QuestionKind,
  prompt: z.string(),
  context: z.string().nullable(),
  options: z.array(Option).nullable().describe("Null if the answer is a text"),
  selection: Selection.nullable(),
  allow_text: z.boolean(),
  addressee_user_id: Id.nullable(),
  addressee_role: AddresseeRole.nullable(),
  resolver: Resolver,
  about_version: z.int().nullable(),
  stale: z.boolean().describe(
    "The question is pending, and the ticket has changed since the version to which the question refers",
  ),
  due_at: Timestamp.nullable(),
  default_option: z.string().nullable(),
  made_with_ticket: z.boolean().describe(
    "True if the question was made from the ticket's title and description, because the ticket's type asks for an answer",
  ),
  status: QuestionStatus,
  answer: Answer.nullable(),
  ended_at: Timestamp.nullable().describe(
    "When the question was answered, withdrawn or superseded, or expired",
  ),
  superseded_by: Id.nullable(),
  asked_by: Speaker,
  imported: z.boolean().describe("The question came with an import, so `asked_by` is what its file says"),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "Question" });
export type Question = z.infer<typeof Question>;

export const CreatedQuestion = Question.extend(Replayed).meta({ id: "CreatedQuestion" });
export type CreatedQuestion = z.infer<typeof CreatedQuestion>;

export const QuestionPath = TicketPath.extend({ questionId: Id });
export type QuestionPath = z.infer<typeof QuestionPath>;

export const GetQuestion = QuestionPath.extend({
  wait: queryInteger(0, MAX_WAIT, 0).describe(
    "Seconds to wait while the question is pending. The call returns as soon as the question ends, and after " +
      "this time at the latest",
  ),
});
export type GetQuestion = z.infer<typeof GetQuestion>;

export const ListQuestions = TicketPath.extend({
  ...Page.shape,
  status: QuestionStatus.optional(),
  sort: z.enum(["at", "-at"]).default("at").describe("-at: newest first"),
});
export type ListQuestions = z.infer<typeof ListQuestions>;

export const ListAskedQuestions = Page.extend({
  status: QuestionStatus.optional(),
  ended_after: OffsetTime.optional().describe(
    "Only questions that were answered or ended in another way after this time",
  ),
});
export type ListAskedQuestions = z.infer<typeof ListAskedQuestions>;

export const QuestionList = z.object({ questions: z.array(Question), next_cursor: NextCursor });

export const AnswerQuestion = QuestionPath.extend({
  option_ids: distinct(z.array(OptionId).max(12), "an option").optional().describe(
    "The chosen options of a decision; `yes` or `no` for a confirmation",
  ),
  text: QuestionTexts.answer.optional().describe(
    "The text that answers a question, or a note in addition to options",
  ),
  confirm_stale: z.boolean().optional().describe(
    "Accepts the answer even if the ticket has changed since the version to which the question refers",
  ),
});
export type AnswerQuestion = z.infer<typeof AnswerQuestion>;

export const SupersedeQuestion = QuestionPath.extend({
  ...QuestionFields,
  task_id: QuestionFields.task_id.describe("If absent, the task of the replaced question"),
});
export type SupersedeQuestion = z.infer<typeof SupersedeQuestion>;
