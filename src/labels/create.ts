import { v7 as uuid } from "uuid";
import type { ProjectContext } from "../core/context.ts";
import { AppError } from "../core/errors.ts";
import { nameKey } from "../core/names.ts";
import { transact } from "../core/transact.ts";
import { lockProject } from "../projects/lock.ts";
import { labelColumns, labelConflict, recordLabel } from "./_rows.ts";
import { type CreateLabel, type Label, MAX_LABELS } from "./schema.ts";

/** Colors that can be told apart on a light and on a dark ground. */
const COLORS = [
  "#b3261e",
  "#c2571a",
  "#a67c00",
  "#5f8a1c",
  "#2e8b57",
  "#1f8a8a",
  "#2477b3",
  "#3f5fc4",
  "#6f4bc4",
  "#a03fb0",
  "#b83280",
  "#6b7280",
];

/** Adds a label to the project. @throws {AppError} conflict for a known name, or past 500 labels */
export async function createLabel(ctx: ProjectContext, input: CreateLabel): Promise<Label> {
  const key = nameKey(input.name);
  return await transact(ctx, async (ctx) => {
    const { db, project } = ctx;
    await lockProject(ctx, project.id);
    const [made] = await db<Label[]>`
      insert into labels as l (id, project_id, name, name_key, color, description)
      select ${uuid()}::uuid, ${project.id}::uuid, ${input.name}, ${key}, ${input.color ?? colorOf(key)},
        ${input.description}
      where (select count(*) from labels where project_id = ${project.id}::uuid and deleted_at is null) < ${MAX_LABELS}
      returning ${labelColumns(db)}`;
    if (!made) throw new AppError("conflict", `A project may have at most ${MAX_LABELS} labels`);
    const { name, color, description } = made;
    await recordLabel(ctx, "created", made.id, { name, color, description });
    return made;
  }).catch((error: unknown) => {
    throw labelConflict(error);
  });
}

/** Gives the same name the same color in every project. */
function colorOf(key: string): string {
  const sum = [...key].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 1_000_003, 7);
  return COLORS[sum % COLORS.length]!;
}
