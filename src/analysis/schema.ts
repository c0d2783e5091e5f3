import { z } from "zod";
import { Timestamp } from "../core/schema.ts";

export const Analysis = z.object({
  state: z.enum(["idle", "waiting", "running"]),
  waiting: z.int().describe(
    "Changed tickets that have not been analyzed yet; changes are noticed every five minutes",
  ),
  total: z.int().describe("Number of tickets in the current run or, if none is running, in the last one"),
  done: z.int().describe("Number of tickets that this run has analyzed"),
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
}).meta({ id: "Analysis" });
export type Analysis = z.infer<typeof Analysis>;
