import type { ProjectContext } from "../core/context.ts";
import { readMembers } from "./_members.ts";
import type { Member } from "./schema.ts";

/** The people with a role of their own in the project; account admins have theirs without being listed. */
export async function listMembers(ctx: ProjectContext): Promise<{ members: Member[]; next_cursor: null }> {
  return { members: await readMembers(ctx, null), next_cursor: null };
}
