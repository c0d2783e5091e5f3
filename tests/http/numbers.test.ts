import { v7 as uuid } from "uuid";
import { beforeAll, expect, test } from "vitest";
import { paymentDelivery, subscription } from "../../lab/simulators/senders/payment.ts";
import { makeProject, makeTicket, next, type TestProject } from "../factories.ts";
import { useHarness } from "../harness.ts";
import { expectError, expectFields } from "./_calls.ts";

const SECRET = "whsec_of_the_tests";
const harness = useHarness({ env: { STRIPE_WEBHOOK_SECRET: SECRET } });
let project: TestProject;
beforeAll(async () => {
  project = await makeProject(harness.now, { repositories: ["acme/app"] });
});

/** Whole numbers that JSON can carry and a column of the database can't. */
const BEYOND = [2 ** 31, Number.MAX_SAFE_INTEGER];

test.each(BEYOND)("a ticket whose task, or issue, is number %d is not imported", async (number) => {
  const { token } = project.admin;
  const ticket = await makeTicket(harness.now, project);
  await harness.now.call("POST", `${ticket.path}/tasks`, { token, body: { title: "One", role: "qa" } });
  const link = { repo_full_name: "acme/app", issue_number: 1 };
  await harness.now.call("PUT", `${ticket.path}/github-issue`, { token, body: link });
  const { body } = await harness.now.call("GET", `${project.path}/export`, { token });
  const record = body.records.find(({ id }: { id: string }) => id === ticket.id);
  const tasks = [{ ...record.tasks[0], id: uuid(), sequence: number }];
  const issue = { ...record.issue, issue_number: number };
  const records = [{ ...record, id: uuid(), number: 1000, tasks, issue }];
  const answer = await harness.now.call("POST", `${project.path}/import`, { token, body: { records } });
  expectFields(answer, ["records.0.tasks.0.sequence", "records.0.issue.issue_number"]);
});

test.each(["created", "periodEnd", "cancelAt"])("a subscription's %s is a time", async (field) => {
  const facts = { customer: "cus_1", status: "active", periodEnd: 1_800_000_000, created: 1_700_000_000 };
  for (const seconds of [-1, 253_402_300_800, Number.MAX_SAFE_INTEGER]) {
    const object = subscription({ ...facts, id: `sub_${next()}`, [field]: seconds });
    const event = { id: `evt_${next()}`, type: "customer.subscription.created", created: 1, object };
    const { path, headers, body } = await paymentDelivery(SECRET, event);
    expectError(await harness.now.call("POST", path, { headers, raw: body }), 400, "invalid_request");
  }
  expect(await harness.now.sql`select from billing_subscriptions`).toEqual([]);
});
