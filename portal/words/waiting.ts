import type { WaitingItem } from "../api/types.ts";

/** Words of the first page. */
export const waiting = {
  title: "Waiting for you",
  hint: "The most blocking things come first. Answer here. Finished things go away by themselves.",
  count: (count: number) => `${count} ${count === 1 ? "thing waits" : "things wait"} for you.`,
  empty: "Nothing waits for you.",
  emptyHint:
    "Questions, test cases to approve, your tasks and failed agents show here as soon as there are some.",
  kinds: {
    question: "Question",
    approval: "To approve",
    task: "Your task",
    claim: "Yours for a day",
    agent_run: "Agent failed",
    webhook: "Webhook off",
    dead_letter: "Failed job",
  } satisfies Record<WaitingItem["kind"], string>,
  blocksTasks: (count: number) => `blocks ${count} ${count === 1 ? "task" : "tasks"}`,
  blocking: "blocks other work",
  claim: "Claim and start",
  claimed: (title: string) => `“${title}” is yours.`,
  webhookHint:
    "It was switched off because its receiver failed. Repair the receiver, then switch the webhook on.",
  openWebhooks: "Open the webhooks",
  openJobs: "Open failed jobs",
  more: "Show more",
  goneHint: "Somebody else has dealt with it.",
};

/** Words of the inbox. */
export const inbox = {
  title: "Inbox",
  show: { inbox: "Inbox", unread: "Unread", snoozed: "Snoozed", archived: "Archived" },
  showLabel: "Show",
  empty: {
    inbox: "Your inbox is empty.",
    unread: "You have read everything.",
    snoozed: "Nothing is snoozed.",
    archived: "Nothing is archived.",
  },
  emptyHint: "News of tickets that you watch shows here, one line for each ticket.",
  reasons: {
    question: "asked a question",
    approval: "waits for an approval",
    mention: "mentioned you",
    assigned: "gave you a task",
    comment: "commented",
    change: "changed it",
  },
  unread: "Unread",
  markRead: "Mark as read",
  readAll: "Mark all as read",
  snooze: "Snooze until tomorrow",
  unsnooze: "Take back the snooze",
  archive: "Archive",
  archived: (ref: string) => `${ref} is archived.`,
  restore: "Move back to the inbox",
  restored: (ref: string) => `${ref} is back in the inbox.`,
  actions: (ref: string) => `More for ${ref}`,
};

/** Words of the suggestions. */
export const suggestions = {
  title: "Suggestions",
  hint:
    "The service found these by itself, the surest first. It does nothing before you accept, unless a suggestion says so.",
  show: {
    pending: "To decide",
    executed: "Done by itself",
    accepted: "Accepted",
    dismissed: "Dismissed",
    expired: "Expired",
    all: "All",
  },
  showLabel: "Show",
  kinds: { duplicate: "Duplicate", stale: "Stale", close: "Close", role: "Role", split: "Split" },
  empty: "No suggestions.",
  emptyHint: "The service looks for duplicates, stale tickets and finished work by itself.",
  analyze: "Look again",
  analyzing: "The service looks through the project. New suggestions show here.",
  accept: "Accept",
  dismiss: "Dismiss",
  undo: "Undo",
  accepted: (title: string) => `Accepted: ${title}`,
  dismissed: (title: string) => `Dismissed: ${title}`,
  undone: (title: string) => `Taken back: ${title}`,
  evidence: "Evidence",
  confidence: (part: number) => `${Math.round(part * 100)} % sure`,
  skipRoles: "Accept and skip unfinished roles",
};

/** Words of the search over all projects. */
export const search = {
  title: "Search",
  placeholder: "Words of a ticket, or its ref",
  label: "Search in all projects",
  empty: "Nothing found.",
  begin: "Search the tickets of all your projects.",
  found: (count: number) => `${count} found`,
  onlyOpen: "Only open ones",
  more: (count: number) => `Search ${count} more ${count === 1 ? "project" : "projects"}`,
};
