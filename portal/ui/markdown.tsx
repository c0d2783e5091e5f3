import { Suspense } from "react";
import { part } from "../api/load.ts";

const Rendered = part(async () => (await import("./markdown_rendered.tsx")).default);

/**
 * A person's text as Markdown, made harmless. It is plain until the code for Markdown is loaded.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown" dir="auto">
      <Suspense fallback={<p className="plain">{text}</p>}>
        <Rendered text={text} />
      </Suspense>
    </div>
  );
}
