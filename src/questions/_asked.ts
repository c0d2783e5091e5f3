import { isKnownIn, mayWrite, projectsFor } from "../core/access.ts";
import { isBot, type ProjectContext } from "../core/context.ts";
import { invalidField } from "../core/errors.ts";
import { type CreateQuestion, type Option, YES_OR_NO } from "./schema.ts";

/**
 * The time that people have at least before the default of an agent's question answers for them. It
 * is an hour, less the minute to which a time is exact.
 */
const LEAST_TIME_MS = 59 * 60 * 1000;

type AskedFields = Pick<
  CreateQuestion,
  | "kind"
  | "options"
  | "selection"
  | "allow_text"
  | "resolver"
  | "addressee"
  | "about_version"
  | "due_at"
  | "default_option"
>;

/** The allowed form of an answer, by the kind of its question. */
export interface Form {
  options: Option[] | null;
  selection: "single" | "multiple" | null;
  allow_text: boolean;
}

/** @throws {AppError} invalid_request for fields that contradict each other */
export function formOf({ kind, options, selection, allow_text }: AskedFields): Form {
  if (kind === "decision") {
    if (!options) throw invalidField("options", "A decision has 2 to 12 options");
    return { options, selection: selection ?? "single", allow_text };
  }
  if (options) throw invalidField("options", "Only a decision has options of its own");
  if (selection) throw invalidField("selection", "Only a decision has a selection");
  if (!allow_text) throw invalidField("allow_text", "Only a decision can be answered without text");
  return kind === "confirmation"
    ? { options: YES_OR_NO, selection: "single", allow_text }
    : { options: null, selection: null, allow_text };
}

/** @throws {AppError} invalid_request */
export async function checkAsked(ctx: ProjectContext, asked: AskedFields, version: number): Promise<void> {
  const { options } = formOf(asked);
  const { default_option: choice, due_at, about_version } = asked;
  if (about_version !== undefined && about_version > version) {
    throw invalidField("about_version", `The ticket's version is ${version}`);
  }
  if (due_at !== undefined && Date.parse(due_at) <= Date.now()) {
    throw invalidField("due_at", "Is in the past");
  }
  if (choice !== undefined) {
    const isForPeople = isBot(ctx.actor) && asked.resolver === "human_only";
    if (isForPeople && Date.parse(due_at ?? "") < Date.now() + LEAST_TIME_MS) {
      throw invalidField(
        "due_at",
        "Must be at least an hour from now, because people need time before an agent's default answers for them",
      );
    }
    if (due_at === undefined) {
      throw invalidField(
        "default_option",
        "Needs a due_at, because the option answers the question at that time",
      );
    }
    if (asked.kind === "confirmation" && asked.resolver === "human_only") {
      throw invalidField(
        "default_option",
        "Not for a human_only confirmation, because only a person answers it",
      );
    }
    if (!options?.some(({ id }) => id === choice)) {
      throw invalidField("default_option", "Is not one of the options");
    }
  }
  if (asked.addressee?.user_id !== undefined) {
    await checkAddressee(ctx, asked.addressee.user_id, asked.resolver);
  }
}

/** Checks that the addressee may answer the question. */
async function checkAddressee(
  { db, project, actor }: ProjectContext,
  userId: string,
  resolver: AskedFields["resolver"],
): Promise<void> {
  const path = "addressee.user_id";
  const [user] = await db<{ kind: "human" | "bot" }[]>`
    select u.kind from ${projectsFor(db, userId)}
    where p.id = ${project.id}::uuid and ${mayWrite(db)} and ${isKnownIn(db)}`;
  if (!user) throw invalidField(path, "May not answer in this project");
  if (user.kind === "bot" && resolver === "human_only") {
    throw invalidField(path, "Is a bot, and only a person may answer a human_only question");
  }
  if (userId === actor.user.id && actor.credential.type === "session") {
    throw invalidField(path, "Nobody may answer their own question");
  }
}
