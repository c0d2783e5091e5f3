import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { codeOf, sentenceOf } from "../api/client.ts";
import { app } from "../words/app.ts";

export function NotFound() {
  return (
    <main className="page" id="main">
      <h1>{app.notFound}</h1>
      <p>{app.notFoundHint}</p>
      <p>
        <Link to="/" className="button">{app.home}</Link>
      </p>
    </main>
  );
}

/**
 * Replaces a page that could not be shown, because there is no connection or because the portal
 * itself has a fault.
 */
export function Failed({ error, reset }: ErrorComponentProps) {
  const isCall = codeOf(error) !== undefined || /fetch|network/i.test(String(error));
  useEffect(() => {
    if (!isCall) return;
    // The page is loaded again at intervals, because a service that is started again answers within
    // seconds.
    const again = setInterval(() => location.reload(), 5_000);
    return () => clearInterval(again);
  }, [isCall]);
  return (
    <main className="page" id="main">
      <h1>{isCall ? app.notLoaded : app.broken}</h1>
      <p role="alert">{isCall ? sentenceOf(error) : app.brokenHint}</p>
      <p>
        <button type="button" className="button" onClick={() => (reset(), location.reload())}>
          {app.reload}
        </button>
      </p>
    </main>
  );
}
