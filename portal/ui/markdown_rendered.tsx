import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { Suspense } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import { queryClient } from "../api/client.ts";
import { part } from "../api/load.ts";
import { projectsQuery } from "../data/projects.ts";

const NamedTicket = part(async () => (await import("./named_ticket.tsx")).NamedTicket);

/** Only names of tickets become links to such a path. */
const TICKET_PATH = /^\/[A-Z0-9]+\/tickets\/([A-Z0-9]+-\d+)$/;

// A picture would be loaded from another host, which would learn who reads the text. Therefore a
// link to the picture is shown instead.
const PARTS: Components = {
  a: ({ href, children }) => {
    const ref = TICKET_PATH.exec(href ?? "")?.[1];
    return ref !== undefined
      ? (
        <Suspense fallback={<a href={href}>{children}</a>}>
          <NamedTicket name={ref} />
        </Suspense>
      )
      : <a href={href} target="_blank" rel="noopener noreferrer nofollow">{children}</a>;
  },
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

const MENTION = /@\[([^\]\n]{1,200})\]\([0-9a-f-]{36}\)/g;
/** A mention while the text is read. These characters mean nothing to Markdown or to people. */
const PLACE = /\uE000(\d+)\uE001/g;

interface Node {
  type: string;
  value?: string;
  url?: string;
  children?: Node[];
}

const pathOf = (ref: string) => `/${ref.split("-")[0]}/tickets/${ref}`;

/** A ref such as HO-12 in a text. */
const REF = /\b([A-Z][A-Z0-9]{1,9})-([1-9]\d{0,8})\b/g;

/** The ref in the portal's own address of a ticket, also beside a board or list. */
const ADDRESS =
  /^\/[A-Z][A-Z0-9]{1,9}\/(?:tickets\/|\w+\?(?:[^#]*&)?ticket=)([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,8})$/;

/** The ref that a bare address of the portal stands for. */
function refAt({ url = "", children }: Node): string | undefined {
  const isBare = children?.length === 1 && children[0]!.value === url;
  return isBare && url.startsWith(`${location.origin}/`)
    ? ADDRESS.exec(url.slice(location.origin.length))?.[1]
    : undefined;
}

/**
 * Shows a mention, `@[name](user-id)`, by its name, and keeps each line as it was typed. A name is
 * put in after the text was read, because a name isn't Markdown.
 */
function readText(names: string[], keys: ReadonlySet<string>): Plugin {
  const named = (text: string) => text.replace(PLACE, (all, at: string) => names[Number(at)] ?? all);
  const piecesOf = (text: string, isLink: boolean): Node[] =>
    text.split(/(\uE000\d+\uE001|\r?\n)/).filter(Boolean).flatMap((piece): Node[] => {
      if (/^\r?\n$/.test(piece)) return [{ type: "break" }];
      const node = { type: "text", value: named(piece) };
      return node.value === piece
        ? (isLink ? [node] : linked(piece))
        : [{ type: "strong", children: [node] }];
    });
  /** Names of tickets become links to them, if the person is in their projects. */
  const linked = (text: string): Node[] => {
    let end = 0;
    const nodes = Array.from(text.matchAll(REF)).flatMap(({ 0: ref, 1: key, index }): Node[] => {
      if (!keys.has(key!)) return [];
      const before = { type: "text", value: text.slice(end, index) };
      end = index + ref.length;
      return [before, {
        type: "link",
        url: pathOf(ref),
        children: [{ type: "text", value: ref }],
      }];
    });
    return [...nodes, { type: "text", value: text.slice(end) }];
  };
  const read = (node: Node, isInLink = false): void => {
    if (node.url) node.url = named(node.url);
    const ref = node.type === "link" ? refAt(node) : undefined;
    if (ref) node.url = pathOf(ref);
    if (node.value && node.type !== "text") node.value = named(node.value);
    if (!node.children) return;
    const isLink = isInLink || node.type.startsWith("link");
    for (const child of node.children) read(child, isLink);
    node.children = node.children.flatMap((child) =>
      child.type === "text" ? piecesOf(child.value!, isLink) : child
    );
  };
  return () => (tree: unknown) => read(tree as Node);
}

export default function Rendered({ text }: { text: string }) {
  const projects = queryClient.getQueryData(projectsQuery.queryKey)?.projects ?? [];
  const keys = new Set(projects.map(({ key }) => key));
  const names: string[] = [];
  const marked = text.replace(MENTION, (_, name: string) => `\uE000${names.push(`@${name}`) - 1}\uE001`);
  return (
    <ReactMarkdown remarkPlugins={[readGfm, readText(names, keys)]} components={PARTS} skipHtml={false}>
      {marked}
    </ReactMarkdown>
  );
}
