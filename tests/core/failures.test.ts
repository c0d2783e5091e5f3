import { expect, test } from "vitest";
import { toAppError } from "../../src/core/failures.ts";

test.each([
  ["53200", "The database had too little memory for this call"],
  ["53300", "The database is not available"],
])("the database's error %s is told as what it is", (code, sentence) => {
  const error = toAppError(Object.assign(new Error("out of memory"), { code, severity: "ERROR" }));
  expect([error.code, error.message]).toEqual(["unavailable", sentence]);
});
