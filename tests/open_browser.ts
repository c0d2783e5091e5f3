import { type Browser, chromium } from "playwright-core";
import { exists } from "../db/files.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function openBrowser(): Promise<Browser> {
  const executablePath = await findChromium() ?? (await installChromium(), await findChromium());
  if (executablePath) return await chromium.launch({ executablePath, args: FLAGS });
  throw new Error(
    "the tests in a browser need Chromium: apt-get install chromium, or set CHROMIUM_PATH to a browser",
  );
}

async function findChromium(): Promise<string | undefined> {
  const own = Deno.env.get("CHROMIUM_PATH");
  for (const path of own ? [own] : PLACES) if (await exists(path)) return path;
  return undefined;
}

/**
 * Installs the browser from the machine's own packages, which needs root on Debian or a similar
 * system.
 */
async function installChromium(): Promise<void> {
  if (Deno.uid() !== 0 || !await exists("/usr/bin/apt-get")) return;
  const wait = "-oDPkg::Lock::Timeout=300";
  await new Deno.Command("apt-get", { args: ["update", "-q", wait] }).output();
  await new Deno.Command("apt-get", {
    args: ["install", "-yq", wait, "--no-install-recommends", "chromium"],
  }).output();
}
