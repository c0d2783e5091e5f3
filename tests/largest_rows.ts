import { v7 as uuid } from "uuid";
import type { PartName } from "../src/core/parts.ts";
import { MAX_COLUMNS } from "../src/columns/schema.ts";
import { MAX_LABELS, MAX_TICKET_LABELS } from "../src/labels/schema.ts";
import { MAX_MILESTONES } from "../src/milestones/schema.ts";
import { MAX_VIEWS } from "../src/views/schema.ts";
import { MAX_CASES } from "../src/test_cases/schema.ts";
import { MAX_TASKS } from "../src/tasks/schema.ts";
import { MAX_RANK } from "../src/tickets/ranks.ts";
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
    const options = sql`(
      select jsonb_agg(jsonb_build_object('id', o || ${long(60)}, 'label', ${long(200)}, 'description', ${
      long(2_000)
    })) from generate_series(1, 12) o)`;
    // A ticket has few of the others. A part that a list shows in pages is made here.
    const fills: Record<PartName, (() => PromiseLike<unknown>) | null> = {
      task: async () => {
        await sql`
      insert into tasks (id, ticket_id, project_id, sequence, number, title, body, summary, role, status, blocking_reason,
        depends_on_task_ids, acceptance_criteria, assignee_session_id)
      select ${id(ids.taskId)}, ${at.ticket}::uuid, ${at.project}::uuid, n, n, ${long(200)}, ${
          long(10_000)
        }, ${long(2_000)}, 'qa', 'blocked', ${long(2_000)},
        array(select gen_random_uuid() from generate_series(1, 100)),
        (select jsonb_agg(jsonb_build_object('text', ${
          long(500)
        }, 'done', true)) from generate_series(1, 50)), ${long(128)} from generate_series(1, ${MAX_TASKS}) n`;
        await sql`insert into task_numbers values (${at.ticket}::uuid, ${MAX_TASKS})`;
      },
      test_case: () =>
        sql`
      insert into test_cases (id, ticket_id, project_id, title, instruction, link, note)
      select ${id(ids.caseId)}, ${at.ticket}::uuid, ${at.project}::uuid, ${long(200)}, ${long(5_000)},
        'https://a.test/' || ${long(1_900)}, ${long(2_000)} from generate_series(1, ${MAX_CASES}) n`,
      agent_run: () =>
        sql`
      insert into agent_runs (id, ticket_id, project_id, agent_id, task_ids, summary, branch_name)
      select ${id(ids.runId)}, ${at.ticket}::uuid, ${at.project}::uuid, n || ${long(190)},
        array(select gen_random_uuid() from generate_series(1, 100)), ${long(5_000)}, ${long(5_000)}
      from generate_series(1, ${ROWS}) n`,
      comment: () =>
        sql`
      insert into comments (id, ticket_id, project_id, body, mentions, created_by, created_with, by_bot)
      select ${id(ids.commentId)}, ${at.ticket}::uuid, ${at.project}::uuid, ${long(65_536)},
        array(select gen_random_uuid() from generate_series(1, 50)), ${at.user}::uuid, 'session', false
      from generate_series(1, ${ROWS}) n`,
      question: () =>
        sql`
      insert into questions (id, ticket_id, project_id, kind, prompt, context, options, selection, allow_text, resolver,
        created_by, created_with, by_bot)
      select ${id(ids.questionId)}, ${at.ticket}::uuid, ${at.project}::uuid, 'decision', ${long(5_000)}, ${
          long(10_000)
        }, ${options}, 'multiple', true, 'human_only', ${at.user}::uuid, 'session', false
      from generate_series(1, ${ROWS}) n`,
      role: null,
      pull_request: null,
      linked_issue: null,
      duplicate: null,
      link: null,
    };
    for (const fill of Object.values(fills)) await fill?.();
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
    const body = { evidence: { ...evidence, time }, description: `${time}${"\u0001".repeat(65_000)}` };
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

/** Ids of the rows that `makeRowsAround` makes. */
export interface RowsAround {
  webhookId: string;
  delivery: string;
  hookRun: string;
  milestoneId: string;
  viewId: string;
}

/** The most webhooks of a project, and the most bytes of a delivery. */
const MOST_WEBHOOKS = 20;
const DELIVERY_BYTES = 1024 * 1024;

/** Makes the largest rows of the lists that don't belong to a ticket. */
export async function makeRowsAround(
  harness: Harness,
  project: TestProject,
  { superAdmin, params }: LargestRows,
): Promise<RowsAround> {
  const ids: RowsAround = {
    webhookId: uuid(),
    delivery: uuid(),
    hookRun: uuid(),
    milestoneId: uuid(),
    viewId: uuid(),
  };
  const at = { project: project.id, account: project.accountId, ticket: params["ticketId"]! };
  await harness.sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    const long = (characters: number) => sql`repeat(U&'\\0001', ${characters})`;
    const id = (first: string) => sql`case n when 1 then ${first}::uuid else gen_random_uuid() end`;
    const rows = sql`from generate_series(1, ${ROWS}) n`;
    for (const user of [superAdmin.id, project.admin.id]) {
      await sql`
        insert into api_keys (id, user_id, name, prefix, key_hash, scopes)
        select gen_random_uuid(), ${user}::uuid, ${long(120)}, ${user} || n, sha256((${user} || n)::bytea),
          '{tickets:read,tickets:write,tasks:read,tasks:write,suggestions:read,suggestions:write,admin}' ${rows}`;
      await sql`
        insert into sessions (id, user_id, user_agent, address, expires_at)
        select gen_random_uuid(), ${user}::uuid, ${long(400)}, '::1', now() + interval '1 day' ${rows}`;
    }
    await sql`
      insert into audit_log (account_id, action, actor, target_type, target_id, details)
      select ${at.account}::uuid, 'project.imported', jsonb_build_object('kind', 'user', 'id', 'x', 'name', ${
      long(120)
    }),
        'project', 'x', jsonb_build_object('reported_repos', jsonb_build_array(${long(20_000)})) ${rows}`;
    await sql`
      insert into inbound_deliveries (id, provider, event, subject, body, body_sha256, outcome, error, request_id)
      select ${id(ids.delivery)}, 'github', ${long(100)}, ${long(200)},
        convert_to(repeat(U&'\\0001', case n when 1 then ${DELIVERY_BYTES} else 1 end), 'UTF8'), sha256(n::text::bytea),
        'failed', ${long(1_000)}, 'x' ${rows}`;
    await sql`
      insert into pgboss.job (name, data, output, state)
      select 'prune', '{}', jsonb_build_object('message', ${long(1_000)}), 'failed' ${rows}`;
    await sql`
      insert into outbound_endpoints (id, project_id, url, origin, description, types, secret, since_seq, created_by)
      select ${id(ids.webhookId)}, ${at.project}::uuid, 'https://' || ${
      long(1_992)
    }, 'https://example.com', ${long(500)}, array_fill('ticket.closed'::text, '{100}'),
        'x', 0, ${superAdmin.id}::uuid from generate_series(1, ${MOST_WEBHOOKS}) n`;
    await sql`
      insert into outbound_deliveries (id, endpoint_id, project_id, seq, type, status, answer, error)
      select gen_random_uuid(), ${ids.webhookId}::uuid, ${at.project}::uuid, n, 'ticket.closed', 'failed', ${
      long(1_000)
    },
        ${long(1_000)} ${rows}`;
    await sql`
      insert into hook_runs (id, user_id, state) values (${ids.hookRun}::uuid, ${superAdmin.id}::uuid, 'done')`;
    await sql`
      insert into hook_run_results (run_id, position, project_id, repo, status, error)
      select ${ids.hookRun}::uuid, n, ${at.project}::uuid, ${long(200)}, 'failed', ${long(1_000)} ${rows}`;
    await sql`
      insert into projects (id, account_id, name, key, slug)
      select gen_random_uuid(), ${at.account}::uuid, ${long(120)}, 'L' || n, 'l' || n ${rows}`;
    await sql`insert into accounts (id, name, slug) select gen_random_uuid(), ${
      long(120)
    }, 'long-' || n ${rows}`;
    await sql`
      insert into watchers (ticket_id, user_id, project_id, reason)
      select ${at.ticket}::uuid, id, ${at.project}::uuid, 'manual' from users where email like '%@long.example.test'`;
    await sql`
      insert into ticket_issues (ticket_id, project_id, repo_full_name, issue_number, issue_url, title)
      values (${at.ticket}::uuid, ${at.project}::uuid, 'a/b', 1, ${long(2_000)}, ${long(1_000)})`;
    await sql`
      insert into questions (id, ticket_id, project_id, kind, prompt, context, options, selection, allow_text, resolver,
        created_by, created_with, by_bot, status, ended_at)
      select gen_random_uuid(), ticket_id, project_id, kind, prompt, context, options, selection, allow_text, resolver,
        ${superAdmin.id}::uuid, 'session', false, 'withdrawn', now() from questions where ticket_id = ${at.ticket}::uuid`;
    await sql`
      insert into labels (id, project_id, name, name_key, color, description)
      select gen_random_uuid(), ${at.project}::uuid, ${long(46)} || n, n::text, '#000000', ${long(200)}
      from generate_series(1, ${MAX_LABELS}) n`;
    await sql`
      insert into milestones (id, project_id, name, name_key, description)
      select ${id(ids.milestoneId)}, ${at.project}::uuid, ${long(96)} || n, n::text, ${long(5_000)}
      from generate_series(1, ${MAX_MILESTONES}) n`;
    await sql`
      insert into views (id, project_id, owner_user_id, shared, name, query, layout, group_by, sort)
      select ${id(ids.viewId)}, ${at.project}::uuid, ${superAdmin.id}::uuid, true, ${long(80)}, ${
      long(2_000)
    }, 'board',
        'milestone', '-created_at' from generate_series(1, ${MAX_VIEWS}) n`;
    await sql`
      insert into board_columns (id, project_id, stage, name, name_key, wip_limit, position)
      select gen_random_uuid(), ${at.project}::uuid, 'backlog', repeat('😀', 38) || n, n::text, 999, n
      from generate_series(1, ${MAX_COLUMNS}) n`;
    const tickets = await sql<{ id: string }[]>`
      insert into tickets (id, project_id, number, title, description, request_type, priority, blocking, actor_role,
        actor_id, source, assignee_user_id, labels, start_on, due_on, estimate, milestone_id, column_id,
        place, created_with)
      select gen_random_uuid(), ${at.project}::uuid, 1000 + n, ${long(256)}, ${
      long(65_536)
    }, 'feature_request', 'medium', true,
        ${long(40)}, ${long(128)}, ${long(40)}, ${superAdmin.id}::uuid,
        array(select id from labels where project_id = ${at.project}::uuid limit ${MAX_TICKET_LABELS}),
        '2999-12-30', '2999-12-31', 9999.99, ${ids.milestoneId}::uuid,
        (select id from board_columns where project_id = ${at.project}::uuid limit 1),
        'R' || repeat('V', ${MAX_RANK - 5}) || 100 + n || 'V', 'session' ${rows} returning id`;
    const of = sql`from unnest(${tickets.map(({ id }) => id)}::uuid[]) t`;
    await sql`
      insert into ticket_roles (ticket_id, project_id, role)
      select t, ${at.project}::uuid, r ${of}, unnest('{frontend,backend,design,devops,qa,other}'::text[]) r`;
    await sql`
      with made as (
        insert into history (project_id, ticket_id, entity, entity_id, action, actor, changes)
        select ${at.project}::uuid, ${at.ticket}::uuid, 'ticket', ${at.ticket}, 'updated',
          jsonb_build_object('kind', 'user', 'id', 'x', 'name', ${long(120)}),
          jsonb_build_object('title', jsonb_build_array('', ${long(256)})) ${rows} returning id)
      insert into events (seq, history_id, project_id, title, stage, status, ticket_version)
      select 1000 + row_number() over (order by id), id, ${at.project}::uuid, ${
      long(256)
    }, 'backlog', 'open', 1 from made`;
    const event =
      sql`jsonb_build_object('seq', 1, 'type', 'comment.created', 'at', '2026-11-27T00:00:00.000Z',
      'actor', jsonb_build_object('kind', 'user', 'id', 'x', 'name', ${long(120)}))`;
    await sql`
      insert into notifications (recipient_id, user_id, ticket_id, project_id, reason, first_event, last_event, last_at,
        undelivered, urgent)
      select ${superAdmin.id}::uuid, ${superAdmin.id}::uuid, t, ${at.project}::uuid, 'comment', ${event}, ${event}, now(), false,
        false ${of}`;
  });
  return ids;
}
