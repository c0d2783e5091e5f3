import { type Context as HonoContext, Hono } from "hono";
import { html } from "hono/html";
import { type Services, systemContext } from "../core/context.ts";
import { unsubscribe } from "../notifications/unsubscribe.ts";
import { deadline } from "./deadline.ts";
import { type HttpEnv, named } from "./request.ts";

const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; " +
  "base-uri 'none'";

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

const ASK = html`
  <h1>Stop all mails?</h1>
  <p>The inbox of the portal goes on to show all news.</p>
  <form method="post"><button>Stop all mails</button></form>
`;
const DONE = html`
  <h1>You get no more mails</h1>
  <p>You can turn them on again in your <a href="/settings/notifications">settings</a>.</p>
`;

/** The form posts to the address of its page, which contains the token. */
async function page(
  c: HonoContext<HttpEnv>,
  content: ReturnType<typeof html>,
): Promise<Response> {
  c.header("Content-Security-Policy", POLICY);
  c.header("Cache-Control", "no-store");
  return c.html(
    await html`
      <!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <meta name="robots" content="noindex">
          <meta name="referrer" content="no-referrer">
          <title>Mails: Handoff Ticket Service</title>
          <link rel="icon" href="data:,">
          <link rel="stylesheet" href="/invite/page.css">
        </head>
        <body>
          <main>
            <p class="brand"><span class="mark" aria-hidden="true"></span>Handoff</p>
            ${content}
          </main>
        </body>
      </html>
    `,
  );
}
