import { z } from "zod";
import { Id, NoCursor, UserKind } from "../core/schema.ts";

export const WatchReason = z.enum(["manual", "mention", "comment", "creator", "assigned"]);

export const Watcher = z.object({
  user_id: Id,
  name: z.string(),
  kind: UserKind,
  reason: WatchReason.describe("Why the user is told of the ticket; the first of these that holds"),
  muted: z.boolean().describe("The user wants to hear nothing of the ticket"),
}).meta({ id: "Watcher" });
export type Watcher = z.infer<typeof Watcher>;

export const WatcherList = z.object({ watchers: z.array(Watcher), next_cursor: NoCursor });
