import { v7 as uuid } from "uuid";
import { MAX_CASES } from "../src/test_cases/schema.ts";
import { MAX_TASKS } from "../src/tasks/schema.ts";
import { makeTicket, makeUser, type TestProject, type TestUser, ticketInput } from "./factories.ts";
import type { Harness } from "./harness.ts";

const ROWS = 201;
/** The analyzer compares 50 tasks, and leaves at least 6 of them where they are. */
const MOST_SPLIT_OFF = 44;

export interface LargestRows {
  /** Values for the parameters of paths. */
  params: Record<string, string>;
  superAdmin: TestUser;
}

/** Makes as many rows as a list may show, each with the longest texts that its schema allows. */
export async function makeLargestRows(harness: Harness, project: TestProject): Promise<LargestRows> {
  const { sql } = harness;
  const superAdmin = await makeUser(harness, { role: "super_admin", accountId: project.accountId });
  const ticket = await makeTicket(harness, project, { roles: ["qa"] });
  const ids = {
    taskId: uuid(),
    caseId: uuid(),
    runId: uuid(),
    commentId: uuid(),
    questionId: uuid(),
    survey: uuid(),
  };
  const at = { ticket: ticket.id, project: project.id, user: project.admin.id };
  await sql.begin(async (sql) => {
    // The rows are written without triggers, because histories of so many rows would only take
    // time.
    await sql`set local session_replication_role = replica`;
    const long = (characters: number) => sql`repeat(U&'\\0001', ${characters})`;
    const id = (first: string) => sql`case n when 1 then ${first}::uuid else gen_random_uuid() end`;
    await sql`
      insert into tasks (id, ticket_id, project_id, sequence, title, body, summary, role, status, blocking_reason,
        depends_on_task_ids, acceptance_criteria, assignee_session_id)
      select ${id(ids.taskId)}, ${at.ticket}::uuid, ${at.project}::uuid, n, ${long(200)}, ${long(10_000)}, ${
      long(2_000)
    }, 'qa', 'blocked', ${long(2_000)},
        array(select gen_random_uuid() from generate_series(1, 100)),
        (select jsonb_agg(jsonb_build_object('text', ${
      long(500)
    }, 'done', true)) from generate_series(1, 50)), ${long(128)} from generate_series(1, ${MAX_TASKS}) n`;
    await sql`
      insert into test_cases (id, ticket_id, project_id, title, instruction, link, note)
      select ${id(ids.caseId)}, ${at.ticket}::uuid, ${at.project}::uuid, ${long(200)}, ${long(5_000)},
        'https://a.test/' || ${long(1_900)}, ${long(2_000)} from generate_series(1, ${MAX_CASES}) n`;
    await sql`
      insert into agent_runs (id, ticket_id, project_id, agent_id, task_ids, summary, branch_name)
      select ${id(ids.runId)}, ${at.ticket}::uuid, ${at.project}::uuid, n || ${long(190)},
        array(select gen_random_uuid() from generate_series(1, 100)), ${long(5_000)}, ${long(5_000)}
      from generate_series(1, ${ROWS}) n`;
    await sql`
      insert into comments (id, ticket_id, project_id, body, mentions, created_by, created_with, by_bot)
      select ${id(ids.commentId)}, ${at.ticket}::uuid, ${at.project}::uuid, ${long(10_000)},
        array(select gen_random_uuid() from generate_series(1, 50)), ${at.user}::uuid, 'session', false
      from generate_series(1, ${ROWS}) n`;
    const options = sql`(
      select jsonb_agg(jsonb_build_object('id', o || ${long(60)}, 'label', ${long(200)}, 'description', ${
      long(2_000)
    })) from generate_series(1, 12) o)`;
    await sql`
      insert into questions (id, ticket_id, project_id, kind, prompt, context, options, selection, allow_text, resolver,
        created_by, created_with, by_bot)
      select ${id(ids.questionId)}, ${at.ticket}::uuid, ${at.project}::uuid, 'decision', ${long(5_000)}, ${
      long(10_000)
    }, ${options}, 'multiple', true, 'human_only', ${at.user}::uuid, 'session', false
      from generate_series(1, ${ROWS}) n`;
    await sql`
      update tickets set pending_questions = ${ROWS}, human_questions = ${ROWS} where id = ${at.ticket}::uuid`;
    await sql`
      insert into suggestions (id, project_id, kind, ticket_id, title, rationale, confidence, evidence, fingerprint)
      select gen_random_uuid(), ${at.project}::uuid, 'split', ${at.ticket}::uuid, ${long(200)}, ${
      long(500)
    }, 1, (
          select jsonb_build_object('parts', jsonb_build_array(jsonb_build_object('title', ${
      long(200)
    }, 'task_ids', jsonb_agg(id))))
          from tasks where ticket_id = ${at.ticket}::uuid and sequence <= ${MOST_SPLIT_OFF}
        ), n::text
      from generate_series(1, 100) n`;
    await sql`
      insert into scope_surveys (id, code, title, questions, created_by)
      select case n when 1 then ${ids.survey}::uuid else gen_random_uuid() end, 'code-' || n, ${long(200)},
        (select jsonb_agg(jsonb_build_object('key', 'k' || k, 'text', ${
      long(490)
    } || k, 'type', 'text', 'required', true))
          from generate_series(1, 50) k), ${at.user}::uuid
      from generate_series(1, ${ROWS}) n`;
    await sql`
      insert into survey_responses (id, survey_id, email, answers)
      select gen_random_uuid(), ${ids.survey}::uuid, n || '@example.test',
        (select jsonb_object_agg('k' || k, ${long(800)}) from generate_series(1, 50) k)
      from generate_series(1, ${ROWS}) n`;
    await sql`
      insert into users (id, account_id, email, name, kind)
      select gen_random_uuid(), ${project.accountId}::uuid, n || '@long.example.test', ${long(200)}, 'human'
      from generate_series(1, ${ROWS}) n`;
    await sql`
      insert into project_members (project_id, user_id, role)
      select ${at.project}::uuid, id, 'member' from users where email like '%@long.example.test'`;
    await sql`
      insert into ticket_pull_requests (id, ticket_id, project_id, repo, number, url)
      select gen_random_uuid(), ${at.ticket}::uuid, ${at.project}::uuid, 'a/b', n, 'https://a.test/' || ${
      long(1_900)
    }
      from generate_series(1, ${ROWS}) n`;
  });
  const evidence = { log: "\u0001".repeat(40_000) };
  for (let time = 0; time < 20; time++) {
    const body = { evidence: { ...evidence, time }, description: `${time}${"\u0001".repeat(2_000)}` };
    const { status } = await harness.call("PATCH", ticket.path, {
      token: project.admin.token,
      body,
    });
    if (status !== 200) throw new Error(`the ticket was not changed: ${status}`);
  }
  const duplicate = ticketInput({ evidence, roles: ["qa"] });
  await harness.call("POST", `${project.path}/tickets`, { token: project.admin.token, body: duplicate });
  const params = { ticketId: ticket.id, ...ids, code: "code-1", survey: ids.survey };
  return { params, superAdmin };
}
