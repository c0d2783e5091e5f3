import { isKnownIn, roleInProject } from "../core/access.ts";
import type { ProjectContext } from "../core/context.ts";
import { blocksOf, type Piece, piecesOf } from "../core/markdown_blocks.ts";
import { invalidField, invalidRequest } from "../core/errors.ts";
import { MAX_MENTIONS } from "./schema.ts";

const MENTION = /@\[([^\]\n]{1,200})\]\(([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\)/gi;
/** Returns the ids of the users whom a text mentions, each once. */
export function mentionsIn(text: string): string[] {
  return [...namesIn(text).keys()];
}

/** Writes each mention as `@name`, for readers who don't see Markdown rendered. */
export function withNames(text: string): string {
  return text.replace(MENTION, "@$1");
}

/** The mentioned users' ids with the names that the text gives them. */
function namesIn(text: string): Map<string, string> {
  if (!text.includes("@[")) return new Map();
  const found = ownWords(text).flatMap((words) => [...words.matchAll(MENTION)]);
  return new Map(found.map(([, name, id]) => [id!.toLowerCase(), name!]));
}

/**
 * Returns the texts without quotes, code and HTML comments. Those are the words of others, so a
 * mention inside of them doesn't count, and an answer that quotes a mention notifies nobody. An
 * escaped mention is text.
 */
function ownWords(markdown: string): string[] {
  return blocksOf(markdown)
    .filter(({ kind, isQuoted }) => kind !== "code" && !isQuoted)
    .map(({ lines }) => piecesOf(lines.join("\n")).map((piece) => isOwn(piece) ? piece.text : " ").join(""));
}

function isOwn({ kind, text }: Piece): boolean {
  return kind === "text" && !text.startsWith("\\") && !/^<[^]*>$/.test(text);
}

/**
 * Returns the ids of the users whom a comment mentions, each once.
 * @throws {AppError} invalid_request that names the users who can't see the project
 */
export async function findMentions(ctx: ProjectContext, body: string): Promise<string[]> {
  const names = namesIn(body);
  if (names.size === 0) return [];
  if (names.size > MAX_MENTIONS) throw invalidField("body", `Mentions more than ${MAX_MENTIONS} people`);
  const known = await readPeople(ctx, [...names.keys()]);
  const strangers = [...names].filter(([id]) => !known.has(id));
  if (strangers.length > 0) {
    throw invalidRequest(
      strangers.map(([id, name]) => ({ path: "body", message: `${name} (${id}) can't see this project` })),
    );
  }
  return [...names.keys()];
}

async function readPeople({ db, project }: ProjectContext, ids: string[]): Promise<Set<string>> {
  const rows = await db<{ id: string }[]>`
    select u.id from projects p join users u on u.id = any (${ids}::uuid[])
      left join project_members m on m.project_id = p.id and m.user_id = u.id
    where p.id = ${project.id}::uuid and u.deactivated_at is null and ${roleInProject(db)} is not null and ${
    isKnownIn(db)
  }`;
  return new Set(rows.map(({ id }) => id));
}
