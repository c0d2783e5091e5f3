import type { ProjectContext } from "../core/context.ts";
import { afterId, page } from "../core/cursor.ts";
import { bytesOf, withinBytes } from "../core/long_texts.ts";
import { ofProject, pageLimit } from "../core/planner.ts";
import { CASE_TEXTS, caseColumns } from "./_rows.ts";
import type { ListProjectTestCases, ProjectTestCase } from "./schema.ts";

/** Returns one page of all test cases of a project, oldest first. */
export async function listProjectTestCases(ctx: ProjectContext, input: ListProjectTestCases) {
  const { db, project } = ctx;
  const { status, limit, cursor } = input;
  const rows = db`
    select c.* from test_cases c
    where ${ofProject(db, "c.project_id", project.id)} ${status ? db`and c.status = ${status}` : db``}
      ${afterId(db, "c.id", cursor)}
    order by c.project_id, c.id fetch first ${pageLimit(db, limit)} rows only`;
  const cases = await db<ProjectTestCase[]>`
    select ${caseColumns(db)}, c.found, c.ticket_id,
      ${project.key} || '-' || (select k.number from tickets k where k.id = c.ticket_id) as ticket_ref,
      (select k.status from tickets k where k.id = c.ticket_id) as ticket_status
    from ${withinBytes(ctx, { rows, order: db`project_id, id`, size: bytesOf(db, CASE_TEXTS) })} c
    order by c.project_id, c.id limit ${pageLimit(db, limit)}`;
  const { items, next_cursor } = page(cases, limit, ({ id }) => [id]);
  return { cases: items, next_cursor };
}
