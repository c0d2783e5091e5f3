import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { ofProject, pageLimit } from "../core/planner.ts";
import { caseColumns } from "./_rows.ts";
import type { ListProjectTestCases, ProjectTestCase } from "./schema.ts";

/** One page of all test cases of a project, oldest first. */
export async function listProjectTestCases(ctx: ProjectContext, input: ListProjectTestCases) {
  const { db, project } = ctx;
  const { status, limit, cursor } = input;
  const rows = await db<ProjectTestCase[]>`
    select ${caseColumns(db)}, c.ticket_id,
      ${project.key} || '-' || (select k.number from tickets k where k.id = c.ticket_id) as ticket_ref,
      (select k.status from tickets k where k.id = c.ticket_id) as ticket_status
    from test_cases c
    where ${ofProject(db, "c.project_id", project.id)} ${status ? db`and c.status = ${status}` : db``}
      ${afterId(db, "c.id", cursor)}
    order by c.project_id, c.id limit ${pageLimit(db, limit)}`;
  const { items, next_cursor } = page(rows, limit, ({ id }) => [id]);
  return { cases: items, next_cursor };
}
