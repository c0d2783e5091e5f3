import { z } from "zod";
import { Cursor, line } from "../core/schema.ts";
import { TaskName } from "../tasks/schema.ts";

// Fields that occur in the input or output of several tools. Limits come from the procedures' own
// schemas.

export const Ref = z.string().regex(/^[A-Za-z][A-Za-z0-9]{1,9}-[1-9]\d{0,8}$/, "Expected a ref such as HO-12")
  .describe("Such as HO-12");

export const ProjectKey = z.string().regex(/^[A-Za-z][A-Za-z0-9]{1,9}$/, "Expected a key such as HO")
  .optional()
  .describe("Such as HO; needed only with several projects");

export const TaskId = TaskName.meta({ description: "Such as HO-12/3" });

export const Agent = line(1, 128).optional().describe(
  "Your stable name",
);

export const Version = z.int().min(1).optional().describe("Version you read");

/** The page size of a tool's list. */
export const limit = z.int().min(1).max(50).default(20);
export const cursor = Cursor.optional().describe("next_cursor of the page before");

/** The cursor of a list's next page, in the output of a tool. */
export const NextCursor = z.string().nullable().describe("Send as cursor for more");
