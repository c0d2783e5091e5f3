import { Hono } from "hono";
import type { HttpEnv } from "./request.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/**
 * The page that an invite link leads to, where a person sets a password.
 */
export function pageRoutes(): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  serve(app, "/invite", "invite.html", "text/html; charset=utf-8");
  serve(app, "/invite/page.js", "invite.js", "text/javascript; charset=utf-8");
  serve(app, "/invite/page.css", "invite.css", "text/css; charset=utf-8");
  for (const path of ["/api", "/api/", "/api/docs/"]) app.get(path, (c) => c.redirect("/api/docs"));
  // A browser keeps the part behind the # sign.
  app.get("/invite/", (c) => c.redirect("/invite"));
  return app;
}

function serve(app: Hono<HttpEnv>, path: string, file: string, type: string): void {
  app.get(path, async (c) => {
    const text = await Deno.readTextFile(new URL(`./pages/${file}`, import.meta.url));
    return c.body(text, 200, { "Content-Type": type, "Content-Security-Policy": POLICY });
  });
}
