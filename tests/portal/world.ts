/** A call below /api; fails when it is refused. `as` is a token other than the admin's. */
// A script's use of an answer checks the fields that it reads.
// deno-lint-ignore no-explicit-any
export type Call = (method: string, path: string, body?: unknown, as?: string) => Promise<any>;

export interface World {
  projectId: string;
  /** Ids by the first word of the title. */
  tickets: Map<string, { id: string; ref: string; path: string }>;
  people: { email: string; id: string; name: string }[];
  /** An API key. Calls with it count as its agent's. */
  agentKey: string;
}

type Row = [
  stage: string,
  type: string,
  priority: string,
  title: string,
  roles: string[],
  tasks?: [title: string, role: string, status?: string][],
  cases?: [title: string, status?: string][],
];

const TICKETS: Row[] = [
  ["backlog", "decision_needed", "high", "Which currency do refunds use after an account moved?", ["other"]],
  ["backlog", "bug", "high", "Upload of large attachments stops at 2 GB", ["backend"]],
  ["backlog", "clarification_needed", "medium", "What does “archived” mean for invoices?", ["backend"]],
  ["backlog", "bug", "medium", "Search ignores accents in customer names", ["backend"]],
  ["backlog", "feature_request", "medium", "Export the customer list as CSV", ["backend", "frontend"]],
  ["backlog", "bug", "medium", "Password reset mail arrives in the wrong language", ["backend"]],
  ["backlog", "bug", "low", "Dark mode: text in tables is hard to read", ["design", "frontend"]],
  ["up_next", "bug", "high", "Invoice PDF cuts off long company names", ["backend"], [[
    "Reproduce with the longest name",
    "qa",
  ]]],
  ["up_next", "feature_request", "medium", "Rate limit for the public search endpoint", [
    "backend",
    "devops",
  ]],
  ["up_next", "feature_request", "low", "Empty state for the projects page", ["design", "frontend"]],
  ["in_progress", "bug", "high", "Two people editing the same note overwrite each other", [
    "backend",
    "frontend",
  ], [
    ["Write a failing test with two browsers", "qa", "done"],
    ["Refuse a stale write with the current text", "backend", "claimed"],
    ["Show both texts side by side", "frontend"],
  ], [["Two people edit one note"]]],
  ["in_progress", "bug", "high", "Calendar shows appointments one hour late after the clock change", [
    "frontend",
  ], [
    ["Collect the zones that are wrong", "qa", "done"],
    ["Use the zone of the appointment", "frontend", "agent"],
  ]],
  ["in_progress", "feature_request", "medium", "Sign in with passkeys", ["backend", "frontend"], [
    ["Register a passkey", "backend", "done"],
    ["Sign in by it", "backend", "done"],
    ["Settings page", "frontend", "claimed"],
    ["Recovery without the device", "backend", "blocked"],
  ], [["Sign in on a phone", "approved"], ["Sign in with a security key"]]],
  ["in_progress", "bug", "low", "Import stops at the first broken row", ["backend"]],
  ["validation", "bug", "high", "Memory of the report worker grows until it is killed", ["backend"], [
    ["Find what is kept", "backend", "done"],
    ["Stream the rows", "backend", "done"],
  ], [["Run the yearly report", "approved"], ["Run two reports at once"]]],
  ["validation", "feature_request", "medium", "Keyboard users can leave the date picker", ["frontend"], [
    ["Close it by Escape", "frontend", "done"],
  ], [["Walk through the form by keyboard"]]],
  ["validation", "bug", "medium", "Webhook deliveries are repeated after a timeout", ["backend"]],
  ["live", "bug", "high", "Appointments shifted by an hour since daylight saving ended", ["qa"]],
  ["live", "feature_request", "low", "Icons in the mobile menu are sharp", ["design"]],
];

const PEOPLE = ["Ana Moreira", "Jonas Weber", "Mei Tanaka"];

const DESCRIPTION = `Steps to see it:

1. Open the page with **two** browsers.
2. Change the same thing in both and save.

The one who saves last wins without a warning, and the other's text is gone.

- It should be refused, with the current text.
- What was typed must not be lost.

\`\`\`
PUT /notes/17  →  200, although version 4 was sent and 5 is stored
\`\`\`

See [RFC 9110, 13.1.1](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1).`;

/** A decision that the agent can't make by itself. */
const RECOVERY = {
  kind: "decision",
  prompt: "Which recovery do we offer to people who lost their device?",
  context: "Printed codes need no mail server. A mail is what people expect.",
  options: [
    { id: "codes", label: "Printed codes", description: "Ten, each for once" },
    { id: "mail", label: "A mail with a link" },
    { id: "admin", label: "An admin resets it" },
  ],
};

/**
 * Makes a small company's project in the middle of its work, for the pictures and the browser
 * tests.
 */
export async function makeWorld(call: Call, password: string): Promise<World> {
  const people = [];
  for (const name of PEOPLE) {
    const email = `${name.split(" ")[0]!.toLowerCase()}@example.test`;
    people.push({ name, ...await call("POST", "/users", { email, name, password }) });
  }
  const project = await call("POST", "/projects", {
    name: "Handoff portal",
    key: "HO",
    repositories: ["acme/portal"],
  });
  await call("POST", "/projects", { name: "Billing", key: "BILL" });
  const path = `/projects/${project.id}`;
  for (const { id } of people) await call("PUT", `${path}/members/${id}`, { role: "member" });
  const { key } = await call("POST", "/keys", { name: "Coding agent" });
  const tickets: World["tickets"] = new Map();
  for (const row of TICKETS) await makeTicket({ call, path, key }, row, tickets);
  return { projectId: project.id, tickets, people, agentKey: key };
}

async function makeTicket(
  { call, path, key }: { call: Call; path: string; key: string },
  [stage, request_type, priority, title, roles, tasks = [], cases = []]: Row,
  tickets: World["tickets"],
): Promise<void> {
  const { ticket } = await call("POST", `${path}/tickets`, {
    title,
    description: DESCRIPTION,
    request_type,
    priority,
    roles,
    blocking: title.startsWith("Upload") || title.startsWith("Two"),
  });
  const own = `${path}/tickets/${ticket.id}`;
  tickets.set(title.split(" ")[0]!, { id: ticket.id, ref: ticket.ticket_ref, path: own });
  for (const [name, role, status] of tasks) {
    const { id } = await call("POST", `${own}/tasks`, { title: name, role });
    if (status) {
      await call(
        "POST",
        `${own}/tasks/${id}/claim`,
        {},
        ["agent", "blocked"].includes(status) ? key : undefined,
      );
    }
    if (status === "done") await call("PATCH", `${own}/tasks/${id}`, { status });
    if (status === "blocked") await call("POST", `${own}/questions`, { ...RECOVERY, task_id: id }, key);
  }
  for (const [name, status] of cases) {
    const { id } = await call("POST", `${own}/test-cases`, {
      title: name,
      instruction: "Follow the steps of the description and look whether both texts are kept.",
      link: "https://staging.example.test/notes/17",
    });
    if (status) await call("POST", `${own}/test-cases/${id}/approve`, {});
  }
  if (stage === "live" || stage === "validation") {
    for (const role of roles) await call("POST", `${own}/roles/${role}/finish`, {});
  } else if (stage === "in_progress") await call("POST", `${own}/roles/${roles[0]}/start`, {});
  if (title.startsWith("Calendar")) await call("POST", `${own}/agent-runs`, { agent_id: "bc_calendar" });
  if (stage !== "backlog") await call("PATCH", own, { stage });
}
