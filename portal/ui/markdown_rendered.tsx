import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import ReactMarkdown, { type Components, type Options } from "react-markdown";

// A picture would be loaded from another host, which would learn who reads the text. Therefore a
// link to the picture is shown instead.
const PARTS: Components = {
  a: ({ href, children }) => <a href={href} target="_blank" rel="noopener noreferrer nofollow">{children}</a>,
  img: ({ src, alt }) => (
    <a href={String(src ?? "")} target="_blank" rel="noopener noreferrer nofollow">
      {alt || String(src ?? "")}
    </a>
  ),
  input: ({ checked }) => <span aria-hidden="true">{checked ? "☑ " : "☐ "}</span>,
  h1: ({ children }) => <h4>{children}</h4>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h5>{children}</h5>,
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
};

type Plugin = NonNullable<Options["remarkPlugins"]>[number];

/** Reads tables, task lists and bare addresses. The usual plugin also brings what writes Markdown. */
const readGfm: Plugin = function () {
  this.data({ micromarkExtensions: [gfm()], fromMarkdownExtensions: [gfmFromMarkdown()] } as object);
};

/** A mention is `@[name](user-id)`. Only the name is shown, because an id is no address. */
function withNames(text: string): string {
  return text.replace(/@\[([^\]\n]{1,200})\]\([0-9a-f-]{36}\)/g, (_, name: string) => `**@${name}**`);
}

export default function Rendered({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={[readGfm]} components={PARTS} skipHtml={false}>
      {withNames(text)}
    </ReactMarkdown>
  );
}
