import { createHash, hkdfSync, randomBytes } from "node:crypto";
import { ConfigError, messageOf } from "../../db/errors.ts";
import { makeDataFolder } from "../../db/files.ts";
import { type Config, SECRET_LENGTH } from "./config.ts";
import { log } from "./log.ts";

export interface Key {
  /**
   * Short, derived from the key and safe to show. It tells which key made a token or a ciphertext.
   */
  id: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** The keys in use, the newest first. Older ones still verify and decrypt. */
export interface Secrets {
  auth: [Key, ...Key[]];
  encryption: [Key, ...Key[]];
}

/**
 * Loads the secrets of the environment, or the one generated into DATA_DIR on the first start.
 * @throws {ConfigError} when there is none and DATA_DIR cannot hold one
 */
export async function loadSecrets(config: Config): Promise<Secrets> {
  const auth = config.AUTH_SECRET ?? [await generatedSecret(config.DATA_DIR)];
  const encryption = config.ENCRYPTION_KEY ?? auth;
  return { auth: keys(auth, "access tokens"), encryption: keys(encryption, "stored tokens") };
}

function keys(secrets: string[], purpose: string): [Key, ...Key[]] {
  return secrets.map((secret) => {
    const bytes = new Uint8Array(hkdfSync("sha256", secret, "handoff", purpose, 32));
    return { id: createHash("sha256").update(bytes).digest("hex").slice(0, 8), bytes };
  }) as [Key, ...Key[]];
}

async function generatedSecret(dataDir: string): Promise<string> {
  const path = `${dataDir}/auth_secret`;
  try {
    await makeDataFolder(dataDir);
    // The secret is written completely to a file of another name that only its owner can read, and
    // then linked. If two first starts come at once, one of them wins and both read the winner's
    // secret.
    const draft = await Deno.makeTempFile({ dir: dataDir, prefix: "auth_secret." });
    const { uid: self } = await Deno.stat(draft);
    try {
      await Deno.writeTextFile(draft, randomBytes(32).toString("base64url"));
      await Deno.link(draft, path);
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    } finally {
      await Deno.remove(draft);
    }
    await refuseAnothers(path, self);
    await closeToOthers(path);
    const secret = (await Deno.readTextFile(path)).trim();
    // A full disk or a power cut may leave only a part of the file. Such a secret would be easy to
    // guess, and anybody could make tokens with it.
    if (secret.length < SECRET_LENGTH) {
      throw new ConfigError(
        `AUTH_SECRET: ${path} holds no secret: restore it from a backup, or delete it to have a new one made`,
      );
    }
    return secret;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`DATA_DIR: cannot write to ${dataDir}: ${messageOf(error)}`);
  }
}

/**
 * Refuses a secret that another user made, because that user knows it. The owner is compared with
 * that of a new file, because some file systems give all files to one owner.
 */
async function refuseAnothers(path: string, self: number | null): Promise<void> {
  const owners = [await Deno.lstat(path), await Deno.stat(path)].map(({ uid }) => uid);
  const other = owners.find((owner) => owner !== self);
  if (other === undefined) return;
  throw new ConfigError(
    `AUTH_SECRET: ${path} belongs to user ${other}, but files of this process belong to user ${self}: run it as the user of ` +
      `the service, give the file to user ${self} if you know who wrote it, or delete it to have a new one made`,
  );
}

/** Lets only the owner read the secret, and logs it if others could read it before. */
async function closeToOthers(path: string): Promise<void> {
  const { mode } = await Deno.stat(path);
  if (mode === null || (mode & 0o077) === 0) return;
  await Deno.chmod(path, 0o600);
  log.warn(
    "auth_secret was open to other users of this machine, and is closed now: if they may know it, replace it",
    {
      path,
    },
  );
}
