import type { Made, MixedClient } from "./mixed_client.ts";

export async function changeMember(client: MixedClient): Promise<void> {
  const { project, users } = client.world;
  const path = `${project}/members/${client.pick(users).id}`;
  if (client.chance(0.3)) await client.call("DELETE", path);
  else await client.call("PUT", path, { body: { role: client.pick(["viewer", "member", "admin"]) } });
}

/** Changes a user. A reactivated user signs in again, and nobody's first token lasts. */
export async function changeUser(client: MixedClient): Promise<void> {
  const { users, root: token, tokens } = client.world;
  const { id, email, password } = client.pick(users);
  const name = client.token();
  const body = client.chance(0.3)
    ? { deactivated: true }
    : { name, role: client.pick(["member", "admin", "super_admin"]), deactivated: false };
  const answer = await client.call("PATCH", `/users/${id}`, { token, body });
  if (!("name" in body)) return;
  client.enter("user", name, answer);
  const signIn = { token: null, body: { email, password } };
  const session = await client.call<{ access_token: string }>("POST", "/auth/login", signIn);
  if (session.ok) client.keep(tokens, session.body.access_token);
}

/**
 * Lets two admins take the admin role from each other or give it up. A super admin gives the role
 * back.
 */
export async function contest(client: MixedClient): Promise<void> {
  const { rivals, root } = client.world;
  const { id } = client.pick(rivals);
  const role = client.chance(0.5) ? "admin" : "member";
  const token = role === "admin" ? root : client.pick(rivals).token;
  await client.call("PATCH", `/users/${id}`, { token, body: { role } });
}

export async function invite(client: MixedClient): Promise<void> {
  const { users, root: token } = client.world;
  const answers = await Promise.all(
    [1, 2].map(() =>
      client.call<{ invite_url: string }>("POST", `/users/${client.pick(users).id}/invitation`, { token })
    ),
  );
  const url = answers.find(({ ok }) => ok)?.body.invite_url;
  if (!url || client.chance(0.5)) return;
  const body = { token: url.split("#")[1], password: users[0]!.password };
  await Promise.all(
    [1, 2].map(() => client.call("POST", "/users/invitations/accept", { token: null, body })),
  );
}

export async function makeKey(client: MixedClient): Promise<void> {
  const { world } = client;
  const name = client.token();
  const answer = await client.call<Made & { key: string }>("POST", "/keys", { body: { name } });
  client.enter("key", name, answer);
  if (!answer.ok) return;
  client.keep(world.keys, answer.body.id);
  if (client.chance(0.5)) client.keep(world.tokens, answer.body.key);
}

export async function revokeKey(client: MixedClient): Promise<void> {
  const { keys, root: token } = client.world;
  await client.call("DELETE", `/keys/${client.pick(keys)}`, { token });
}

export async function changeSettings(client: MixedClient): Promise<void> {
  const body = { roles: [{ role: client.pick(["design", "qa"]), enabled: client.chance(0.8) }] };
  await client.call("PUT", "/settings/roles", { token: client.world.root, body });
}

export async function survey(client: MixedClient): Promise<void> {
  const { world } = client;
  const token = world.root;
  if (world.surveys.length > 0 && client.chance(0.5)) {
    const list = await client.call<{ surveys: Made[] }>("GET", "/admin/scope-surveys", { token });
    const { id } = client.pick(list.body.surveys);
    return void await client.call("POST", `/admin/scope-surveys/${id}/close`, { token });
  }
  const code = client.token();
  const questions = [{ key: "why", text: "Why?", type: "text" }];
  const body = { code, title: "Mixed", questions };
  const answer = await client.call("POST", "/admin/scope-surveys", { token, body });
  client.enter("survey", code, answer);
  if (answer.ok) client.keep(world.surveys, code);
}

export async function answer(client: MixedClient): Promise<void> {
  const email = `${client.token()}@example.com`;
  const path = `/surveys/${client.pick(client.world.surveys)}/responses`;
  const answers = await Promise.all(
    [1, 2].map(() => client.call("POST", path, { token: null, body: { email, answers: { why: "So." } } })),
  );
  client.expect(answers.filter(({ ok }) => ok).length <= 1, `${email} answered twice`);
  client.enter("answer", email, answers.find(({ ok }) => ok) ?? answers[0]!);
}

export async function refresh(client: MixedClient): Promise<void> {
  const { world } = client;
  const body = { refresh_token: world.refreshToken };
  const answer = await client.call<{ refresh_token: string }>("POST", "/auth/refresh", { token: null, body });
  if (answer.ok) world.refreshToken = answer.body.refresh_token;
}
