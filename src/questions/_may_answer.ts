import { isBot, type ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { isAsker } from "./asker.ts";
import type { StoredQuestion } from "./_rows.ts";

/** @throws {AppError} forbidden for a credential that may not answer this question */
export function requireAnswerer({ actor, project }: ProjectContext, question: StoredQuestion): void {
  const refused = (why: string) => new AppError("forbidden", `You may not answer this question: ${why}`);
  if (isAsker(actor, question)) throw refused("no credential may answer its own question");
  const bot = isBot(actor);
  if (bot && question.resolver === "human_only") throw refused("only a person may");
  // An addressee may be away, so an admin of the project may answer instead, but an admin's agent
  // may not.
  const standsIn = project.role === "admin" && !bot;
  const { addressee_user_id: asked, addressee_role: role } = question;
  if (asked !== null && asked !== actor.user.id && !standsIn) {
    throw refused("it is addressed to another user");
  }
  if (role === "admin" && project.role !== "admin") throw refused("it is addressed to admins of the project");
}
