import { z } from "zod";
import { Id, NoCursor, UserKind } from "../core/schema.ts";

export const WatchReason = z.enum(["manual", "mention", "comment", "duplicate", "creator", "assigned"]);

export const Watcher = z.object({
  user_id: Id,
  name: z.string(),
  kind: UserKind,
  reason: WatchReason.describe(
    "Why the user is notified about the ticket; the first of these reasons that applies",
  ),
  muted: z.boolean().describe("True if the user has muted the ticket"),
}).meta({ id: "Watcher" });
export type Watcher = z.infer<typeof Watcher>;

export const WatcherList = z.object({ watchers: z.array(Watcher), next_cursor: NoCursor });
