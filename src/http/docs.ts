import { Hono } from "hono";
import { openApiDocument } from "./openapi.ts";
import type { Webhook } from "./webhooks/webhook.ts";
import type { HttpEnv } from "./request.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
<title>Handoff Ticket Service: API</title>
</head>
<body>
<noscript>This page needs JavaScript. It shows <a href="/api/openapi.json">the OpenAPI document</a>.</noscript>
<div id="docs"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script type="module" src="/api/docs/start.js"></script>
</body>
</html>
`;

// Calls go to the origin of the page, no matter under which other address the service can be
// reached.
const START = `const answer = await fetch("/api/openapi.json");
SwaggerUIBundle({
  spec: { ...await answer.json(), servers: [{ url: location.origin + "/api" }] },
  dom_id: "#docs", deepLinking: true, docExpansion: "none", defaultModelsExpandDepth: 0, validatorUrl: null,
  persistAuthorization: false, tryItOutEnabled: true,
});
`;

// Styles may be inline, because Swagger UI writes styles at run time. Scripts and everything else
// come only from the service itself.
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Serves the document and a page that shows it, without the internet. */
export function docsRoutes(publicUrl: string, webhooks: readonly Webhook[]): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  let document: Uint8Array<ArrayBuffer> | undefined;
  app.get("/openapi.json", (c) => {
    document ??= new TextEncoder().encode(JSON.stringify(openApiDocument(publicUrl, webhooks)));
    return c.body(inParts(document), 200, {
      "Content-Type": "application/json",
      "Content-Length": String(document.length),
    });
  });
  app.get("/docs", (c) => c.html(PAGE, 200, { "Content-Security-Policy": POLICY }));
  app.get("/docs/start.js", (c) => c.body(START, 200, { "Content-Type": "text/javascript" }));
  serveAsset(app, "swagger-ui-bundle.js", "text/javascript");
  serveAsset(app, "swagger-ui.css", "text/css");
  return app;
}

const SWAGGER = new URL("../../node_modules/swagger-ui-dist/", import.meta.url);

function serveAsset(app: Hono<HttpEnv>, file: string, type: string): void {
  let bytes: Uint8Array<ArrayBuffer> | undefined;
  app.get(`/docs/${file}`, async (c) => {
    bytes ??= await Deno.readFile(new URL(file, SWAGGER));
    return c.body(inParts(bytes), 200, {
      "Content-Type": type,
      "Content-Length": String(bytes.length),
      "Cache-Control": "public, max-age=3600",
    });
  });
}

const PART_BYTES = 16 * 1024;

/**
 * Streams the same bytes to everybody, a part at a time. If the answer were sent whole, it would
 * stay in memory for each client that doesn't read it.
 */
function inParts(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const parts = Math.ceil(bytes.length / PART_BYTES);
  return ReadableStream.from(
    Array.from({ length: parts }, (_, part) => bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)),
  );
}
