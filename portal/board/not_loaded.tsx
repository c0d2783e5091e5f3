import { app } from "../words/app.ts";

/** Says that tickets could not be read, with a button that tries again. */
export function NotLoaded({ again }: { again: () => Promise<unknown> }) {
  return (
    <p className="empty">
      {app.notLoaded}{" "}
      <button type="button" className="link" onClick={() => void again()}>{app.tryAgain}</button>
    </p>
  );
}
