import { makeUser, next, type TestUser } from "../factories.ts";
import type { Answer, CallOptions, Harness } from "../harness.ts";

export interface Person {
  id: string;
  email: string;
  password: string;
  accountId: string;
  /** An admin of the account. */
  admin: TestUser;
}

/** Makes a person with a password, whom an admin of the account adds through the API. */
export async function makePerson(
  harness: Harness,
  options: { admin?: TestUser; role?: "member" | "admin" } = {},
): Promise<Person> {
  const admin = options.admin ?? await makeUser(harness, { role: "admin" });
  const [email, password] = [`person${next()}@example.test`, `a long password ${next()}`];
  const { status, body } = await harness.call("POST", "/users", {
    token: admin.token,
    body: { email, name: "Person", password, role: options.role ?? "member" },
  });
  if (status !== 201) throw new Error(`person not made: ${JSON.stringify(body)}`);
  return { id: body.id, email, password, accountId: admin.accountId, admin };
}

/**
 * Returns a client address that differs in each call of the file, so that limits by address don't
 * meet.
 */
export function freshAddress(): string {
  return `10.0.${Math.floor(next() / 250)}.${next() % 250}`;
}

export function login(
  harness: Harness,
  { email, password }: Pick<Person, "email" | "password">,
  options: CallOptions = {},
): Promise<Answer> {
  return harness.call("POST", "/auth/login", {
    address: freshAddress(),
    ...options,
    body: { email, password },
  });
}

export interface SignedIn {
  access: string;
  refresh: string;
  /** The value of the Cookie header. */
  cookie: string;
}

export async function signIn(harness: Harness, person: Person): Promise<SignedIn> {
  const { status, body } = await login(harness, person);
  if (status !== 200) throw new Error(`not signed in: ${JSON.stringify(body)}`);
  return { access: body.access_token, refresh: body.refresh_token, cookie: `session=${body.access_token}` };
}

export function refresh(harness: Harness, token: string, options: CallOptions = {}): Promise<Answer> {
  return harness.call("POST", "/auth/refresh", {
    address: freshAddress(),
    ...options,
    body: { refresh_token: token },
  });
}

/** Returns the status of a call that any live credential may make. */
export async function statusOfMe(harness: Harness, token: string): Promise<number> {
  return (await harness.call("GET", "/auth/me", { token })).status;
}

/** Returns the claims of an access token without verifying it. */
export function claimsOf(accessToken: string): Record<string, unknown> {
  const part = accessToken.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
  return JSON.parse(atob(part));
}
