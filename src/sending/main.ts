import { post } from "./post.ts";

/**
 * The process that sends webhooks: it may reach the internet, and has nothing else: no database, no secrets, no other files
 * than its socket. The process that serves may reach what is configured, and asks this one.
 */
const [socketPath, allowed = ""] = Deno.args;
if (!socketPath) throw new Error("usage: main.ts SOCKET [ALLOWED_HOSTS]");
const allowedHosts = allowed.split(",").filter(Boolean);

await Deno.remove(socketPath).catch(() => {});
Deno.serve(
  { path: socketPath, onListen() {} },
  async (request) => Response.json(await post(await request.json(), allowedHosts)),
);
