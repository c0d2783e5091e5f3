import { Hono } from "hono";
import { fileURLToPath } from "node:url";
import { type DocumentedRoute, openApiDocument } from "./openapi.ts";
import type { HttpEnv } from "./request.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Handoff Ticket Service: API</title>
</head>
<body>
<div id="docs"></div>
<script src="/api/docs/reference.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>
`;

const START = `Scalar.createApiReference("#docs", {
  url: "/api/openapi.json", servers: [{ url: location.origin + "/api" }], withDefaultFonts: false, telemetry: false,
  hideClientButton: true, agent: { disabled: true }, mcp: { disabled: true }, showDeveloperTools: "never",
  authentication: { preferredSecurityScheme: "bearer" },
});
`;

// The reference builds its styles at run time; scripts come from here alone, and nothing is loaded from elsewhere.
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/** The document and a page that shows it, served without the internet. */
export function docsRoutes(publicUrl: string, routes: readonly DocumentedRoute[]): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  let document: string | undefined;
  let reference: Promise<Uint8Array<ArrayBuffer>> | undefined;
  app.get("/openapi.json", (c) => {
    document ??= JSON.stringify(openApiDocument(publicUrl, routes));
    return c.body(document, 200, { "Content-Type": "application/json" });
  });
  app.get("/docs", (c) => c.html(PAGE, 200, { "Content-Security-Policy": POLICY }));
  app.get("/docs/start.js", (c) => c.body(START, 200, { "Content-Type": "text/javascript" }));
  app.get("/docs/reference.js", async (c) => {
    reference ??= Deno.readFile(
      fileURLToPath(import.meta.resolve("@scalar/api-reference/browser/standalone.js")),
    );
    return c.body(await reference, 200, {
      "Content-Type": "text/javascript",
      "Cache-Control": "public, max-age=3600",
    });
  });
  return app;
}
