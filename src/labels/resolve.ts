import type { ProjectContext } from "../core/context.ts";
import { invalidRequest } from "../core/errors.ts";
import { nameKey, nearestNames } from "../core/names.ts";

const NEAREST = 3;

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
    unknown.map(({ name, at }) => {
      const nearest = nearestNames(name, labels.map(({ name }) => name), NEAREST).map((label) =>
        `"${label}"`
      );
      const hint = nearest.length > 0 ? `; the nearest are ${nearest.join(", ")}` : "; it has none yet";
      return { path: `${field}.${at}`, message: `The project has no label "${name}"${hint}` };
    }),
  );
}
