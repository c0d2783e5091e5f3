import { z } from "zod";
import { CommitSha, RepoName } from "../core/schema.ts";

/** The pipeline's report. Further fields are kept in the inbox and have no effect. */
export const DeployRecord = z.looseObject({
  repo: RepoName.toLowerCase().describe("owner/name at the code host; case does not matter"),
  sha: CommitSha,
  run_id: z.string().nullish(),
  environment: z.string().describe("Only a deploy to `production` stamps tickets"),
  status: z.enum(["success", "failed"]),
}).meta({ id: "DeployRecord" });
export type DeployRecord = z.infer<typeof DeployRecord>;

export const DeployAnswer = z.object({
  stamped: z.int().describe("Tickets stamped by this call"),
  closed: z.int().describe("Tickets closed by this call"),
  ignored: z.boolean(),
  reason: z.string().optional().describe("Why it was ignored: `not_production` or `unknown_repo`"),
}).meta({ id: "DeployAnswer" });
export type DeployAnswer = z.infer<typeof DeployAnswer>;

/** One promoted commit of one repository, both lower-cased. */
export type Promotion = Pick<DeployRecord, "repo" | "sha">;
