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
  serve(app, "/invite", ["invite.html"], "text/html; charset=utf-8");
  serve(app, "/invite/page.js", ["invite.js"], "text/javascript; charset=utf-8");
  // The style of all pages that are not part of the portal.
  serve(app, "/invite/page.css", ["tokens.css", "page.css"], "text/css; charset=utf-8");
  for (const path of ["/api", "/api/", "/api/docs/"]) app.get(path, (c) => c.redirect("/api/docs"));
  // A browser doesn't send the part after the # sign.
  app.get("/invite/", (c) => c.redirect("/invite"));
  return app;
}

function serve(app: Hono<HttpEnv>, path: string, files: string[], type: string): void {
  app.get(path, async (c) => {
    const texts = files.map((file) => Deno.readTextFile(new URL(`./pages/${file}`, import.meta.url)));
    return c.body((await Promise.all(texts)).join("\n"), 200, {
      "Content-Type": type,
      "Content-Security-Policy": POLICY,
    });
  });
}
