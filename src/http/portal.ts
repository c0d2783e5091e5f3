import { createHash } from "node:crypto";
import { Hono } from "hono";
import type { Config } from "../core/config.ts";
import type { HttpEnv } from "./request.ts";

/** The folder that portal/build.ts builds into. */
const FOLDER = new URL("../../.portal/", import.meta.url);

/**
 * The policy allows no script or style but the portal's own files and the page's own line, no other
 * host, and no text that is turned into markup.
 */
function policyOf(page: string): string {
  const line = /<script>([^<]*)<\/script>/.exec(page)?.[1] ?? "";
  const own = `'sha256-${createHash("sha256").update(line).digest("base64")}'`;
  return (
    `default-src 'none'; script-src 'self' ${own}; style-src 'self'; connect-src 'self'; img-src 'self' data:; ` +
    "font-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
    "require-trusted-types-for 'script'; trusted-types service-worker"
  );
}

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  webmanifest: "application/manifest+json",
};

/** Files whose names stay when their content changes. */
const STEADY = /^(?:service_worker\.js|manifest\.webmanifest|icon(?:-\w+)?\.(?:svg|png))$/;

/** First segments of the portal's addresses, and the segments that follow a project's key. */
const AREAS =
  "sign-in|projects|my-work|views|inbox|search|settings|admin|welcome|password|survey|unsubscribe";
const OF_PROJECT = "board|list|tickets|milestones|suggestions|settings";
/** People type the key of a project in lower case, too. */
const PAGES = new RegExp(
  `^/(?:(?:${AREAS}|(?!(?:api|mcp|assets)/)[A-Za-z][A-Za-z0-9]{1,9}/(?:${OF_PROJECT}))(?:/.*)?)?$`,
);

/**
 * Serves the portal to browsers: one page for all of its addresses, and the files that the page
 * loads.
 */
export function portalRoutes({ PUBLIC_URL }: Config): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const files = new Files();
  app.get("/assets/:name{[\\w.-]+}", async (c) => {
    const file = await files.read(`assets/${c.req.param("name")}`, c.req.header("accept-encoding") ?? "");
    if (!file) return c.notFound();
    return c.body(file.bytes, 200, {
      "Content-Type": TYPES[file.extension] ?? "application/octet-stream",
      "Content-Length": String(file.bytes.length),
      // A file whose content changes gets another name, so browsers may keep each file for ever.
      "Cache-Control": "public, max-age=31536000, immutable",
      "Vary": "Accept-Encoding",
      ...(file.encoding && { "Content-Encoding": file.encoding }),
    });
  });
  app.get("/:name{[\\w.-]+\\.[a-z]+}", async (c, next) => {
    const name = c.req.param("name");
    const bytes = STEADY.test(name) ? await readBuilt(name) : null;
    if (!bytes) return await next();
    return c.body(bytes, 200, {
      "Content-Type": TYPES[name.split(".").at(-1)!]!,
      "Cache-Control": name === "service_worker.js" ? "no-cache" : "public, max-age=86400",
    });
  });
  app.get("*", async (c, next) => {
    const { path } = c.req;
    if (!PAGES.test(path)) return await next();
    const elsewhere = properAddress(c.req.url, PUBLIC_URL);
    if (elsewhere) return c.redirect(elsewhere);
    // The page is read from disk each time, because it is small and names the files of the last
    // build.
    const page = await Deno.readTextFile(new URL("index.html", FOLDER)).catch(() => null);
    if (page === null) return path === "/" ? c.redirect("/api/docs") : await next();
    return c.html(page, 200, { "Content-Security-Policy": policyOf(page), "Cache-Control": "no-cache" });
  });
  return app;
}

/**
 * Returns the address at PUBLIC_URL for a person who opened a service on this machine by another of
 * the machine's names. Under that name every write would be refused, because cookies and the check
 * of a write's origin need PUBLIC_URL.
 */
function properAddress(asked: string, publicUrl: string): string | null {
  const [from, to] = [new URL(asked), new URL(publicUrl)];
  const isHere = ({ hostname }: URL) => ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  if (from.host === to.host || from.port !== to.port || !isHere(from) || !isHere(to)) return null;
  return `${to.origin}${from.pathname}${from.search}`;
}

interface File {
  bytes: Uint8Array<ArrayBuffer>;
  extension: string;
  encoding: "br" | "gzip" | null;
}

async function readBuilt(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  return await Deno.readFile(new URL(name, FOLDER)).catch(() => null);
}

/** The built files. Each one is kept in memory after it was first read. */
class Files {
  readonly #kept = new Map<string, Promise<Uint8Array<ArrayBuffer> | null>>();

  async read(name: string, accepted: string): Promise<File | null> {
    const extension = name.split(".").at(-1)!;
    for (const [encoding, suffix] of [["br", ".br"], ["gzip", ".gz"], [null, ""]] as const) {
      if (encoding && !new RegExp(`\\b${encoding}\\b`).test(accepted)) continue;
      const bytes = await this.#bytes(name + suffix);
      if (bytes) return { bytes, extension, encoding };
    }
    return null;
  }

  async #bytes(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const kept = this.#kept.get(name);
    if (kept) return await kept;
    const bytes = await readBuilt(name);
    // A missing file is not remembered, because strangers could request many names.
    if (bytes) this.#kept.set(name, Promise.resolve(bytes));
    return bytes;
  }
}
