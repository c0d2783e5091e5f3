/** The groups of calls in the documents, each with a sentence about it. */
export const TAGS = {
  "API keys": "Credentials for programs, narrowed by scopes and to a project.",
  "Accounts": "The organizations of an installation; for super admins.",
  "Administration": "Deliveries, queues, jobs, storage and the audit log.",
  "Agent runs": "Runs of cloud coding agents that work on a ticket.",
  "Authentication": "Signing in and out, sessions, tokens and passwords.",
  "Billing": "The account's subscription at the payment provider.",
  "Code hosting": "Linked accounts, webhooks, issues and pull requests at GitHub.",
  "Comments": "Comments of people and agents on a ticket.",
  "Events": "Every change as a numbered event, and where events are sent.",
  "News": "What others did on the tickets on which an API key works.",
  "Planning": "Labels, milestones and columns of a project, links between tickets, and saved views.",
  "Projects": "Projects, their members and their repositories.",
  "Watching": "Users who are notified about a ticket.",
  "Inbox": "The caller's notifications, and the items that wait for the caller.",
  "Questions": "Questions about a ticket that somebody has to answer.",
  "Settings": "Settings of an account and of its users.",
  "Suggestions": "Suggestions that the analyzer makes about a project's tickets, and decisions on them.",
  "Surveys": "Surveys on the scope of a project, and the answers to them.",
  "Tasks": "The ordered tasks of a ticket, and claims on them.",
  "Test cases": "Test cases that a person must approve before a ticket can be closed.",
  "Tickets": "Tickets, their stages, roles and history.",
  "Users": "People and bot clients, and their invitations.",
  "Webhooks": "Reports from other services to this one.",
};

export type Tag = keyof typeof TAGS;
