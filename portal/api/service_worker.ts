/** The milliseconds after which the portal's files are kept, so that the first page comes first. */
const LATER_MS = 2_000;
const PROGRAM = "/service_worker.js";

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL(url: string): string };
}

/**
 * Lets the browser keep the portal's files for a time without a connection. Browsers allow it to
 * pages with https and to pages of this machine.
 */
export function keepFiles(): void {
  addEventListener("load", () =>
    setTimeout(() => {
      const { trustedTypes } = globalThis as { trustedTypes?: Policies };
      // The page's policy names this one policy, which allows one program.
      const policy = trustedTypes?.createPolicy("service-worker", { createScriptURL: () => PROGRAM });
      void navigator.serviceWorker?.register(policy?.createScriptURL(PROGRAM) ?? PROGRAM).catch(() => {});
    }, LATER_MS));
}
