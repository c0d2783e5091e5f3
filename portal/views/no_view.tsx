import { Link } from "@tanstack/react-router";
import { useTitle } from "../app/title.tsx";
import { views as words } from "../words/views.ts";

/** Stands where a view would be that is deleted, or that the person may not see. */
export function NoView() {
  useTitle(words.noView);
  return (
    <main className="page" id="main" tabIndex={-1}>
      <h1>{words.noView}</h1>
      <p>{words.noViewHint}</p>
      <p>
        <Link to="/views" className="button">{words.title}</Link>
      </p>
    </main>
  );
}
