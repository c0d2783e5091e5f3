import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { html } from "hono/html";
import type { AppError } from "../core/errors.ts";
import type { HttpEnv } from "./request.ts";

const POLICY = "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'";

const [JSON_TYPE, HTML] = ["application/json", "text/html"];

/**
 * Tells whether a person opens the address in a browser, or sends the form of a page. Programs, and
 * scripts in pages, don't ask for HTML, or prefer JSON.
 */
export function isNavigation(c: Context<HttpEnv>): boolean {
  const isForm = c.req.method === "POST" &&
    c.req.header("content-type") === "application/x-www-form-urlencoded";
  return (c.req.method === "GET" || isForm) && !c.req.path.startsWith("/trpc/") &&
    accepts(c, { header: "Accept", supports: [JSON_TYPE, HTML], default: JSON_TYPE }) === HTML;
}

/** Shows a failure as a page that says what the person can do next. */
export async function errorPage(c: Context<HttpEnv>, error: AppError): Promise<Response> {
  const title = TITLES[error.status] ?? "The service could not answer";
  const page = await html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>${title}: Handoff Ticket Service</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/invite/page.css">
      </head>
      <body>
        <main>
          <p class="brand"><span class="mark" aria-hidden="true"></span>Handoff</p>
          <h1>${title}</h1>
          <p>${error.message}.</p>
          <p><a href="/">${error.status === 401 ? "Sign in" : "Go to the first page"}</a></p>
          <p><small>Request <code>${c.var.requestId}</code></small></p>
        </main>
      </body>
    </html>
  `;
  c.header("Content-Security-Policy", POLICY);
  return c.html(page, error.status);
}

const TITLES: Partial<Record<AppError["status"], string>> = {
  400: "This address is not right",
  401: "You are not signed in",
  403: "You may not see this",
  404: "There is nothing here",
  405: "This address is not for browsers",
};
