import type { ProjectContext } from "../core/context.ts";
import { invalidRequest } from "../core/errors.ts";
import { nameKey, nearestInWords } from "../core/names.ts";

/**
 * Returns the ids of the labels that the names name, and keeps the labels from being deleted until
 * the transaction ends.
 * @throws {AppError} invalid_request that names the nearest labels, so that nobody invents one
 */
export async function resolveLabels(
  { db, project }: ProjectContext,
  field: string,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const keys = names.map(nameKey);
  const found = await db<{ id: string; name_key: string }[]>`
    select id, name_key from labels
    where project_id = ${project.id}::uuid and name_key = any (${keys}::text[]) and deleted_at is null
    order by id for share`;
  const ids = new Map(found.map(({ id, name_key }) => [name_key, id]));
  const unknown = names.flatMap((name, at) => ids.has(keys[at]!) ? [] : [{ name, at }]);
  if (unknown.length === 0) return [...new Set(keys.map((key) => ids.get(key)!))];
  const labels = await db<{ name: string }[]>`
    select name from labels where project_id = ${project.id}::uuid and deleted_at is null`;
  throw invalidRequest(
    unknown.map(({ name, at }) => ({
      path: `${field}.${at}`,
      message: `The project has no label "${name}"; ${nearestInWords(name, labels.map(({ name }) => name))}`,
    })),
  );
}
