import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "../../src/core/passwords.ts";

test("a password is stored by argon2id with OWASP's parameters", async () => {
  const stored = await hashPassword("correct horse");
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verifyPassword(stored, "correct horse")).toBe(true);
  expect(await verifyPassword(stored, "correct house")).toBe(false);
  expect(await verifyPassword(null, "")).toBe(false);
});
