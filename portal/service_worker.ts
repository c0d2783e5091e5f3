/**
 * The service worker. It keeps the portal's own files, so that the portal opens without a
 * connection and says so. It keeps no data of the service, because the next person at this browser
 * could read it.
 */

/** The files of this build, which portal/build.ts writes before this program. */
declare const BUILD: { version: string; files: string[] };

// The types of Deno's libraries don't contain a service worker's.
interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Asked extends Lasting {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
declare const clients: { claim(): Promise<void> };
declare function skipWaiting(): Promise<void>;

const NAME = `handoff.${BUILD.version}`;
/** Addresses of this service that the portal has no page for. */
const OTHERS = /^\/(?:api|mcp|trpc|invite|unsubscribe)(?:\/|$)/;

addEventListener("install", (event) => (event as Lasting).waitUntil(install()));
addEventListener("activate", (event) => (event as Lasting).waitUntil(begin()));
addEventListener("fetch", (event) => {
  const { request, respondWith } = event as Asked;
  const { origin, pathname } = new URL(request.url);
  const answer = (with_: Promise<Response>) => respondWith.call(event, with_);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (BUILD.files.includes(pathname)) answer(fileOf(request));
  else if (request.mode === "navigate" && !OTHERS.test(pathname)) answer(pageOf(request));
});

/** Keeps the page with all of its files, or nothing at all. */
async function install(): Promise<void> {
  const cache = await caches.open(NAME);
  await cache.addAll(["/", ...BUILD.files]);
  await skipWaiting();
}

async function begin(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== NAME).map((name) => caches.delete(name)));
  await clients.claim();
}

/** A file has another name when its content changes, so a kept one is never old. */
async function fileOf(request: Request): Promise<Response> {
  return await caches.match(request) ?? await fetch(request);
}

/**
 * Asks the service first, so that nobody sees the page of an earlier version. The kept page is for
 * a service that can't be reached, or can't answer.
 */
async function pageOf(request: Request): Promise<Response> {
  const answer = await fetch(request).catch(() => null);
  if (answer && answer.status < 500) return answer;
  return await caches.match("/") ?? answer ?? Response.error();
}
