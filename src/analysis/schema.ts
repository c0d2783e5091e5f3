import { z } from "zod";
import { Timestamp } from "../core/schema.ts";

export const Analysis = z.object({
  state: z.enum(["idle", "waiting", "running"]),
  waiting: z.int().describe(
    "Tickets that changed and haven't been looked at yet; changes are noticed every five minutes",
  ),
  total: z.int().describe("Tickets that the last or present run began with"),
  done: z.int().describe("How many of them it has looked at"),
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
}).meta({ id: "Analysis" });
export type Analysis = z.infer<typeof Analysis>;
