import type { Comment } from "../api/types.ts";
import { conversation as words } from "../words/ticket.ts";

/** The author of a comment: a person, or an agent of theirs. */
export function speakerName({ name, kind }: Comment["author"]): string {
  return kind === "agent" ? words.agentOf(name ?? words.nobody) : name ?? words.nobody;
}
