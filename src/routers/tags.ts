/** The groups of calls in the documents, each with what it is about. */
export const TAGS = {
  "API keys": "Credentials for programs, narrowed by scopes and to a project.",
  "Accounts": "The organizations of an installation; for super admins.",
  "Administration": "Deliveries, queues, jobs, storage and the audit log.",
  "Agent runs": "Runs of cloud coding agents that work on a ticket.",
  "Authentication": "Signing in and out, sessions, tokens and passwords.",
  "Billing": "The account's subscription at the payment provider.",
  "Code hosting": "Linked accounts, webhooks, issues and pull requests at GitHub.",
  "Comments": "What people and agents say about a ticket.",
  "Events": "Every change as a numbered event, and where events are sent.",
  "Projects": "Projects, their members and their repositories.",
  "Watching": "Who is told of what happens on a ticket.",
  "Inbox": "What the caller was told, and what waits for them.",
  "Questions": "Questions about a ticket that somebody has to answer.",
  "Settings": "What an account has switched on.",
  "Suggestions": "What the analyzer found out about a project's tickets, and what became of it.",
  "Surveys": "Surveys on the scope of a project, and the answers to them.",
  "Tasks": "The ordered work on a ticket, and who has taken it.",
  "Test cases": "What a person has to look at before a ticket can be closed.",
  "Tickets": "Tickets, their stages, roles and history.",
  "Users": "People and bot clients, and their invitations.",
  "Webhooks": "What other services report to this one.",
};

export type Tag = keyof typeof TAGS;
