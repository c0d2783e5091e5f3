import { lazy, Suspense } from "react";

const Rendered = lazy(() => import("./markdown_rendered.tsx"));

/** A text of somebody's as Markdown: harmless, whatever stands in it. Plain until the code for it is there. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown" dir="auto">
      <Suspense fallback={<p className="plain">{text}</p>}>
        <Rendered text={text} />
      </Suspense>
    </div>
  );
}
