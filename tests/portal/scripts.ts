import type { Page } from "playwright-core";

const BUILT = new URL("../../.portal/assets/", import.meta.url);

/** Follows the names of the scripts that a page has loaded. */
export function scriptsOf(page: Page): () => string[] {
  const names = new Set<string>();
  page.on("response", (response) => {
    const name = /\/assets\/([^?]+\.js)$/.exec(response.url())?.[1];
    if (name) names.add(name);
  });
  return () => [...names];
}

/** Returns the size of scripts in kB as they are sent. */
export async function sizeOf(scripts: string[]): Promise<number> {
  const sizes = await Promise.all(
    scripts.map(async (name) => (await Deno.stat(new URL(`${name}.gz`, BUILT))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1_000;
}
