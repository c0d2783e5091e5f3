import { app } from "../words/app.ts";

/** The first page after the sign-in. */
export function Waiting() {
  return (
    <main className="page" id="main">
      <h1>{app.waiting}</h1>
    </main>
  );
}
