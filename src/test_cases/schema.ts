import { z } from "zod";
import { PARTS } from "../core/parts.ts";
import { Id, IdPage, line, NextCursor, text, Timestamp, WebAddress } from "../core/schema.ts";
import { IdempotencyKey, Replayed, Status, TicketPath } from "../tickets/schema.ts";

export const MAX_CASES = PARTS.test_case.most;

/** The texts of a test case with their limits. */
export const TestCaseTexts = {
  title: line(1, 200),
  instruction: text(1, 5000),
  link: WebAddress.nullable(),
  note: text(0, 2000).nullable(),
};

export const TestCaseStatus = z.enum(["pending", "approved", "rejected"]);

export const TestCase = z.object({
  id: Id,
  title: z.string(),
  instruction: z.string(),
  link: z.string().nullable(),
  status: TestCaseStatus,
  decided_by: Id.nullable().describe("Who approved or rejected it; always a person"),
  decided_at: Timestamp.nullable(),
  note: z.string().nullable(),
  version: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
}).meta({ id: "TestCase" });
export type TestCase = z.infer<typeof TestCase>;

export const CreatedTestCase = TestCase.extend(Replayed).meta({ id: "CreatedTestCase" });
export type CreatedTestCase = z.infer<typeof CreatedTestCase>;

/** A test case in a list without pages. */
export const ListedTestCase = TestCase.extend({
  left_out: z.array(z.string()).optional().describe(
    "Texts that are left out, because the list would have more than 2 MiB of text; get the test case to read them",
  ),
}).meta({ id: "ListedTestCase" });
export type ListedTestCase = z.infer<typeof ListedTestCase>;

export const TestCaseList = z.object({
  cases: z.array(ListedTestCase),
  all_approved: z.boolean().describe("True also if there are no test cases"),
});
export type TestCaseList = z.infer<typeof TestCaseList>;

export const ListProjectTestCases = IdPage.extend({ status: TestCaseStatus.optional() });
export type ListProjectTestCases = z.infer<typeof ListProjectTestCases>;

/** A test case in a list with those of other tickets. */
export const ProjectTestCase = TestCase.extend({
  ticket_id: Id,
  ticket_ref: z.string(),
  ticket_status: Status,
})
  .meta({ id: "ProjectTestCase" });
export type ProjectTestCase = z.infer<typeof ProjectTestCase>;

export const ProjectTestCaseList = z.object({ cases: z.array(ProjectTestCase), next_cursor: NextCursor });

export const TestCasePath = TicketPath.extend({ caseId: Id });
export type TestCasePath = z.infer<typeof TestCasePath>;

export const CreateTestCase = TicketPath.extend({
  title: TestCaseTexts.title,
  instruction: TestCaseTexts.instruction,
  link: TestCaseTexts.link.optional(),
  idempotency_key: IdempotencyKey.optional(),
});
export type CreateTestCase = z.infer<typeof CreateTestCase>;

export const UpdateTestCase = TestCasePath.extend({
  title: TestCaseTexts.title.optional(),
  instruction: TestCaseTexts.instruction.optional(),
  link: TestCaseTexts.link.optional(),
});
export type UpdateTestCase = z.infer<typeof UpdateTestCase>;

export const DecideTestCase = TestCasePath.extend({ note: TestCaseTexts.note.optional() });
export type DecideTestCase = z.infer<typeof DecideTestCase>;
