import { type Context as HonoContext, Hono } from "hono";
import { type Services, systemContext } from "../core/context.ts";
import { unsubscribe } from "../notifications/unsubscribe.ts";
import { deadline } from "./deadline.ts";
import { type HttpEnv, named } from "./request.ts";

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/**
 * The address of a mail's List-Unsubscribe. A mail program posts there (RFC 8058). A person is
 * asked first, because programs that look for malware follow every link.
 */
export function unsubscribeRoutes(services: Services): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const inTime = deadline(services);
  const name = named("unsubscribe");
  app.get("/unsubscribe", name, (c) => page(c, ASK));
  app.post("/unsubscribe", name, inTime, async (c) => {
    const ctx = systemContext(services, { kind: "webhook", id: "unsubscribe" }, c.var.requestId);
    await unsubscribe(ctx, c.req.query("token") ?? "");
    return page(c, DONE);
  });
  return app;
}

const ASK = `<p>Do you want to stop all mails?</p><form method="post"><button>Stop all mails</button></form>`;
const DONE = "<p>You get no more mails. You can turn them on again in your settings.</p>";

/** The form posts to its own address, token included. */
function page(c: HonoContext<HttpEnv>, content: string): Response {
  const html =
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<meta name="referrer" content="no-referrer"><title>Mails</title>` +
    `<body style="font: 1rem system-ui; max-width: 30rem; margin: 4rem auto; padding: 0 1rem">${content}`;
  return c.body(html, 200, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
  });
}
