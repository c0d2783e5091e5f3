import { publishedProcedures } from "../src/http/procedures.ts";

/** Calls a path below /api as somebody, and returns the status and the parsed body. */
export type Read = (path: string) => Promise<{ status: number; body: unknown }>;

/**
 * The first three return facts about this moment or machine, and the last one writes an entry of
 * the audit list.
 */
const LEFT_OUT = ["/admin/storage", "/admin/queues", "/admin/jobs", "/projects/{id}/export"];

/** Fields that differ between two readings, because they tell of the reading itself. */
const PASSING = ["age_seconds", "last_used_at", "requestId"];

/**
 * Reads through every procedure that only reads, with every id that appears in the caller's
 * answers. Returns the answers by path.
 */
export async function readEverything(read: Read): Promise<Map<string, unknown>> {
  const templates = publishedProcedures()
    .filter(({ type, meta }) => type === "query" && meta.method === "GET")
    .map(({ meta }) => meta.path)
    .filter((path) => !LEFT_OUT.includes(path));
  const answers = new Map<string, unknown>();
  for (const template of templates) {
    for (const path of await pathsOf(template, templates, read, answers)) await answer(path, read, answers);
  }
  return answers;
}

/**
 * Fills the last parameter of a template with the ids in the list above it, and those before it
 * likewise.
 */
async function pathsOf(
  template: string,
  templates: string[],
  read: Read,
  answers: Map<string, unknown>,
): Promise<string[]> {
  const at = template.lastIndexOf("/{");
  if (at < 0) return [template];
  const list = template.slice(0, at);
  const rest = template.slice(template.indexOf("}", at) + 1);
  if (!templates.includes(list)) return [];
  const paths: string[] = [];
  for (const path of await pathsOf(list, templates, read, answers)) {
    for (const id of idsIn(await answer(path, read, answers))) paths.push(`${path}/${id}${rest}`);
  }
  return paths;
}

async function answer(path: string, read: Read, answers: Map<string, unknown>): Promise<unknown> {
  if (!answers.has(path)) answers.set(path, withoutPassing(await read(path)));
  return answers.get(path);
}

function withoutPassing(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (name, value) => PASSING.includes(name) ? null : value);
}

/**
 * Returns the ids of the things in an answer's list. The list is the body or a field of the body.
 */
function idsIn(answer: unknown): string[] {
  const { body } = answer as { body: unknown };
  const lists = Array.isArray(body) ? [body] : Object.values(Object(body)).filter(Array.isArray);
  return lists.flat().map((item) => Object(item).id).filter((id) => typeof id === "string");
}
