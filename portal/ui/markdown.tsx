import { Component, type ReactNode, Suspense } from "react";
import { Outdated, part } from "../api/load.ts";
import { isReadable } from "./markdown_bounds.ts";

const Rendered = part(async () => (await import("./markdown_rendered.tsx")).default);

/**
 * A person's text as Markdown, made harmless. It is plain until the code for Markdown is loaded, and
 * it stays plain if it can't be read as Markdown.
 */
export function Markdown({ text }: { text: string }) {
  const plain = <p className="plain">{text}</p>;
  return (
    <div className="markdown" dir="auto">
      {isReadable(text)
        ? (
          <OrPlain key={text} plain={plain}>
            <Suspense fallback={plain}>
              <Rendered text={text} />
            </Suspense>
          </OrPlain>
        )
        : plain}
    </div>
  );
}

/** Shows the plain text if its Markdown can't be drawn, so that one text never takes a page with it. */
class OrPlain extends Component<{ plain: ReactNode; children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    // The page loads itself again when the service has a newer version.
    if (this.state.error instanceof Outdated) throw this.state.error;
    return this.state.error === null ? this.props.children : this.props.plain;
  }
}
