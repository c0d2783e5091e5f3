import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { codeOf, isBusy, sentenceOf } from "../api/client.ts";
import { isThere, Outdated, reloadOnce } from "../api/load.ts";
import { app } from "../words/app.ts";
import { useTitle } from "./title.tsx";

export function NotFound() {
  useTitle(app.notFound);
  return (
    <main className="page" id="main" tabIndex={-1}>
      <h1>{app.notFound}</h1>
      <p>{app.notFoundHint}</p>
      <p>
        <Link to="/" className="button">{app.home}</Link>
      </p>
    </main>
  );
}

/** Milliseconds between two looks for a service that can't be reached. */
const AGAIN_MS = 2_000;

/**
 * Replaces a page that could not be shown: the service can't be reached, it has a newer version, or
 * the portal itself has a fault.
 */
export function Failed({ error, reset }: ErrorComponentProps) {
  const isOutdated = error instanceof Outdated;
  const isCall = codeOf(error) !== undefined;
  const isLost = !isCall && /^TRPCClientError|fetch|network/i.test(String(error));
  const comesBack = isLost || isBusy(error);
  useEffect(() => {
    if (isOutdated) return reloadOnce();
    if (!comesBack) return;
    // A service that is started again answers within seconds. Without it the browser would show a
    // page of its own.
    const again = setInterval(() => void isThere().then((there) => there && location.reload()), AGAIN_MS);
    return () => clearInterval(again);
  }, [isOutdated, comesBack]);
  const [title, hint] = isOutdated
    ? [app.outdated, app.outdatedHint]
    : isLost
    ? [app.offlineTitle, app.offlineHint]
    : isCall
    ? [app.notLoaded, sentenceOf(error)]
    : [app.broken, app.brokenHint];
  useTitle(title);
  return (
    <main className="page" id="main" tabIndex={-1}>
      <h1>{title}</h1>
      <p role="alert">{hint}</p>
      <p>
        <button type="button" className="button" onClick={() => (reset(), location.reload())}>
          {app.reload}
        </button>
      </p>
    </main>
  );
}
