import { mentionsIn } from "../comments/mentions.ts";
import type { Notification } from "../inbox/schema.ts";
import type { TicketEvent } from "./_events.ts";

export type Reason = Notification["reason"];

/** The reasons from the weakest to the strongest. */
export const REASONS: readonly Reason[] = [
  "change",
  "comment",
  "assigned",
  "mention",
  "approval",
  "question",
];

/** Reasons that are delivered at once. All others wait for a digest. */
export const URGENT: ReadonlySet<Reason> = new Set(["question", "approval", "mention"]);

/** The people and agents whom an event concerns, before anybody is looked up. */
export type Audience =
  | { to: "user"; id: string }
  | { to: "deciders"; at_least: "member" | "admin" }
  /** Who asked the question, and who works on the task that waited for the answer. */
  | { to: "waiting" }
  | { to: "mentioned"; id: string }
  | { to: "followers"; except: readonly string[] };

export interface Notice {
  event: TicketEvent;
  reason: Reason;
  audience: Audience;
}

/** Says whom an event concerns, and why. */
export function noticesOf(event: TicketEvent): Notice[] {
  return (RULES[event.entity]?.(event) ?? []).map(([reason, audience]) => ({ event, reason, audience }));
}

type Rule = (event: TicketEvent) => [Reason, Audience][];

const MEMBERS: Audience = { to: "deciders", at_least: "member" };
const FOLLOWERS: Audience = { to: "followers", except: [] };

const RULES: Record<string, Rule> = {
  question(event) {
    if (event.action !== "created") return [["question", { to: "waiting" }]];
    const { status, addressee_user_id: id, addressee_role: role } = event.created as {
      status: string;
      addressee_user_id?: string;
      addressee_role?: "member" | "admin";
    };
    if (status !== "pending") return [];
    return [["question", id ? { to: "user", id } : { to: "deciders", at_least: role ?? "member" }]];
  },

  comment(event) {
    const isNew = event.action === "created";
    const after = isNew ? event.created["body"] : event.changes["body"]![1];
    // An edit tells only those whom no earlier text has mentioned.
    const earlier = event.earlier.flatMap(mentionsIn);
    const mentioned = mentionsIn(String(after ?? "")).filter((id) => !earlier.includes(id));
    return [
      ...mentioned.map((id): [Reason, Audience] => ["mention", { to: "mentioned", id }]),
      // A deleted text is no news.
      ...(isNew && after ? [["comment", { to: "followers", except: mentioned }] as [Reason, Audience]] : []),
    ];
  },

  task({ action, created, changes }) {
    const [assignee, session] = ["assignee_user_id", "assignee_session_id"].map((field) =>
      action === "created" ? created[field] : changes[field]?.[1]
    );
    const isGiven = action !== "created" || created["status"] === "pending";
    // A claim names a session, and its author knows of it. Only a person who takes a task over claims
    // it from somebody else.
    const former = action === "created" ? null : changes["assignee_user_id"]?.[0];
    if (assignee && session) return former ? [["change", { to: "user", id: String(former) }]] : [];
    return isGiven && assignee ? [["assigned", { to: "user", id: String(assignee) }]] : [];
  },

  test_case: ({ created, stage }) =>
    created["status"] === "pending" && stage === "validation" ? [["approval", MEMBERS]] : [],

  ticket({ action, created, changes, awaits_approval }) {
    if (action === "unblocked") {
      const assignee = created["assignee_user_id"];
      return assignee ? [["change", { to: "user", id: String(assignee) }]] : [];
    }
    const assignee = action === "created" ? created["assignee_user_id"] : changes["assignee_user_id"]?.[1];
    return [
      ...(awaits_approval ? [["approval", MEMBERS] as [Reason, Audience]] : []),
      ...(assignee ? [["assigned", { to: "user", id: String(assignee) }] as [Reason, Audience]] : []),
      ...(changes["stage"] ? [["change", FOLLOWERS] as [Reason, Audience]] : []),
    ];
  },

  agent_run: () => [["change", FOLLOWERS]],
};
