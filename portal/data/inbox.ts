import { handoff, trpc } from "../api/client.ts";
import type { Inputs } from "../api/types.ts";
import { changing } from "./changing.ts";
import { nextPage } from "./pages.ts";

export function inboxQuery(show: Inputs["inbox"]["list"]["show"]) {
  return trpc.inbox.list.infiniteQueryOptions({ show, limit: 50 }, nextPage);
}

export const unreadQuery = trpc.inbox.count.queryOptions({});

const inbox = [["inbox"]];

export const readInbox = (input: Inputs["inbox"]["read"]) =>
  changing(handoff.api.inbox.read.mutate(input), inbox);

export const archiveInbox = (input: Inputs["inbox"]["archive"]) =>
  changing(handoff.api.inbox.archive.mutate(input), inbox);

export const restoreInbox = (input: Inputs["inbox"]["restore"]) =>
  changing(handoff.api.inbox.restore.mutate(input), inbox);

export const snoozeInbox = (input: Inputs["inbox"]["snooze"]) =>
  changing(handoff.api.inbox.snooze.mutate(input), inbox);
