import { hash, verify } from "@node-rs/argon2";

/**
 * argon2id with OWASP's parameters: 19 MiB, two passes, one lane. The hash is computed off the
 * event loop.
 */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Normalises a password, because keyboards, systems and browsers write one password in several
 * Unicode forms. NIST SP 800-63B asks to hash one of these forms.
 */
export function normalizePassword(password: string): string {
  return password.normalize("NFKC");
}

export function hashPassword(password: string): Promise<string> {
  return hash(normalizePassword(password), PARAMETERS);
}

/** A hash with the same parameters that no password has, because its 32 bytes are zero. */
const ABSENT =
  `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$` +
  `${"A".repeat(22)}$${"A".repeat(43)}`;

interface Verdict {
  matches: boolean;
  /**
   * Tells whether the password matches only as it was sent, because the hash was made before
   * passwords were normalised.
   */
  outdated: boolean;
}

/** Takes the same time whether or not there is a hash to compare with. */
export async function verifyPassword(stored: string | null, password: string): Promise<Verdict> {
  const normal = normalizePassword(password);
  const isCurrent = await verify(stored ?? ABSENT, normal);
  const outdated = !isCurrent && normal !== password && await verify(stored ?? ABSENT, password);
  return { matches: (isCurrent || outdated) && stored !== null, outdated };
}
