import { z } from "zod";
import { CreateTestCase, TestCaseStatus } from "../test_cases/schema.ts";
import { Ref } from "./_fields.ts";
import { defineTool } from "./tool.ts";

const shape = CreateTestCase.shape;

export const addTestCase = defineTool({
  name: "add_test_case",
  title: "Propose what a person must check",
  description:
    "Adds a human test case. The ticket can't be closed before a person, not an agent, has approved the case.",
  calls: ["testCases.create"],
  input: z.strictObject({
    ticket: Ref,
    title: shape.title,
    instruction: shape.instruction,
    link: shape.link.unwrap().unwrap().optional(),
    idempotency_key: shape.idempotency_key,
  }),
  output: z.object({ case_id: z.string(), status: TestCaseStatus }),
  async run({ call, locate }, { ticket, ...draft }) {
    const { id, status } = await call("testCases.create", { ...await locate(ticket), ...draft });
    return { case_id: id, status };
  },
});
