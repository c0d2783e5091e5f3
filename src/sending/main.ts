import { post } from "./post.ts";

/**
 * The process that sends webhooks. It may reach the internet and has nothing else: no database, no
 * secrets, and no files but its socket. The process that serves may connect only to configured
 * hosts, so it sends through this process.
 */
const [socketPath, allowed = ""] = Deno.args;
if (!socketPath) throw new Error("usage: main.ts SOCKET [ALLOWED_HOSTS]");
const allowedHosts = allowed.split(",").filter(Boolean);

await Deno.remove(socketPath).catch(() => {});
Deno.serve(
  { path: socketPath, onListen() {} },
  async (request) =>
    // A GET asks whether this process answers.
    request.method === "GET"
      ? new Response("ready")
      : Response.json(await post(await request.json(), allowedHosts)),
);
