import type { ProjectContext } from "../core/context.ts";
import { atPath, noSuchTask, taskColumns } from "./_rows.ts";
import type { Task, TaskPath } from "./schema.ts";

export async function getTask(ctx: ProjectContext, input: TaskPath): Promise<Task> {
  const [task] = await ctx.db<Task[]>`select ${taskColumns(ctx.db)} from tasks t where ${atPath(ctx, input)}`;
  if (!task) throw noSuchTask();
  return task;
}
