import { hash, verify } from "@node-rs/argon2";

/** argon2id with OWASP's parameters: 19 MiB, two passes, one lane. Computed off the event loop. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS);
}

/** Takes the same time whether or not there is a hash to compare with. */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  const matches = await verify(stored ?? await absentHash(), password);
  return matches && stored !== null;
}

let absent: Promise<string> | undefined;

function absentHash(): Promise<string> {
  return absent ??= hashPassword(crypto.randomUUID());
}
