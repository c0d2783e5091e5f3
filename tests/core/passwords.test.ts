import { hash } from "@node-rs/argon2";
import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "../../src/core/passwords.ts";

const RIGHT = { matches: true, outdated: false };
const WRONG = { matches: false, outdated: false };

test("a password is stored by argon2id with OWASP's parameters", async () => {
  const stored = await hashPassword("correct horse");
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verifyPassword(stored, "correct horse")).toEqual(RIGHT);
  expect(await verifyPassword(stored, "correct house")).toEqual(WRONG);
  expect(await verifyPassword(null, "")).toEqual(WRONG);
});

const FORMS = ["NFC", "NFD", "NFKC", "NFKD"] as const;

test("a password is the same in every Unicode form", async () => {
  const password = "Passwört-été-①-ﬁﬂ-パスワード 가";
  for (const form of FORMS) {
    const stored = await hashPassword(password.normalize(form));
    for (const typed of FORMS) {
      expect(await verifyPassword(stored, password.normalize(typed)), `${form} ${typed}`).toEqual(RIGHT);
    }
    expect(await verifyPassword(stored, "Passwort-ete-1-fifl-パスワード 가")).toEqual(WRONG);
  }
});

test("a hash of before is tried as the password was sent", async () => {
  const typed = "Passwört-été".normalize("NFD");
  const stored = await hash(typed);
  expect(await verifyPassword(stored, typed)).toEqual({ matches: true, outdated: true });
  expect(await verifyPassword(stored, `${typed}!`)).toEqual(WRONG);
  expect((await verifyPassword(null, typed)).matches).toBe(false);
});
