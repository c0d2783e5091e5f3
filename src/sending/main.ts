import { post } from "./post.ts";

/**
 * The process that sends webhooks. It may reach the internet and has nothing else: no database, no
 * secrets, and no files but its socket. The process that serves may connect only to configured
 * hosts, so it sends through this process.
 */
const [socketPath, allowed = ""] = Deno.args;
if (!socketPath) throw new Error("usage: main.ts SOCKET [ALLOWED_HOSTS]");
const allowedHosts = allowed.split(",").filter(Boolean);

/**
 * How often the process shows that it works, by the time of its socket. ops/start.sh replaces a
 * process that hasn't done so for half a minute.
 */
const SHOWN_EVERY_MS = 5_000;

await Deno.remove(socketPath).catch(() => {});
Deno.serve(
  { path: socketPath, onListen() {} },
  async (request) =>
    // A GET asks whether this process answers.
    request.method === "GET"
      ? new Response("ready")
      : Response.json(await post(await request.json(), allowedHosts)),
);

setInterval(() => {
  try {
    Deno.utimeSync(socketPath, new Date(), new Date());
  } catch {
    // Nobody can reach this process any more, so another one has to take its place.
    Deno.exit(1);
  }
}, SHOWN_EVERY_MS);
