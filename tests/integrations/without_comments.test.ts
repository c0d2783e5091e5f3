import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import Markdown from "react-markdown";
import { describe, expect, test } from "vitest";
import { withoutComments } from "../../src/integrations/without_comments.ts";

const VISIBLE: [string, string][] = [
  ["a code span", "Escape `<!--` in templates.\n\nCloses HO-7"],
  ["a code span of two backticks", "Escape `` `<!--` `` in templates.\n\nCloses HO-7"],
  ["a code span over two lines", "Escape `a\nb <!--` in templates.\n\nCloses HO-7"],
  ["a fence", "```html\n<!-- a\n```\nCloses HO-7"],
  ["a fence of tildes", "~~~\n<!-- a\n```\n~~~\nCloses HO-7"],
  ["a longer fence", "````\n```\n<!-- a\n```\n````\nCloses HO-7"],
  ["a fence in an item", "1. First:\n\n   ```\n   <!-- a\n   ```\n\nCloses HO-7"],
  ["a fence in a quote, which ends with it", "> ```\n> <!-- a\n\nCloses HO-7"],
  ["an indented block", "Such as\n\n    <!-- a\n\nCloses HO-7"],
  ["an escape", "Write \\<!-- for a comment.\n\nCloses HO-7"],
  ["a tag's attribute", "A <a title='<!--'>link</a>.\n\nCloses HO-7"],
  ["a paragraph that ends before the comment does", "Begin with <!-- and so on.\n\nCloses HO-7"],
  ["Windows line ends", "Escape `<!--`.\r\n\r\nCloses HO-7\r\n"],
  ["code and a comment behind it", "`<!--` <!-- HO-1 --> Closes HO-7"],
  ["an empty comment", "<!--> Closes HO-7"],
  ["a code span in a heading", "# The `<!--` bug\nCloses HO-7"],
  ["a code span in an item", "- The `<!--` bug\n- Closes HO-7"],
  ["a fence in an item with tabs", "-\tFirst:\n\n\t```\n\t<!--\n\t```\n\nCloses HO-7"],
  ["a short line of hyphens that makes a heading", "Heading\n--\n    <!-- Closes HO-7 -->"],
  ["code in an item with tabs", "1.\tFirst:\n\n\t\t<!--\n\nCloses HO-7"],
];

const HIDDEN: [string, string][] = [
  ["a comment", "<!-- Closes HO-7 -->"],
  ["a comment of paragraphs", "<!-- such as\n\nCloses HO-7\n\n-->\nnothing"],
  ["a comment in a line", "Text <!-- Closes HO-7 --> text"],
  ["a comment without an end", "<!-- such as\n\nCloses HO-7"],
  ["a comment without an end in a line", "Text <!-- Closes HO-7"],
  ["backticks that are no code, as they differ", "It``s <!-- Closes HO-7 --> it`s"],
  ["backticks that are no code, as a paragraph ends", "A ` here.\n\n<!-- Closes HO-7 ` -->"],
  ["backticks that are no code, as an item ends", "- A `\n- <!-- Closes HO-7 ` -->"],
  ["an escaped backtick", "A \\` <!-- Closes HO-7 ` -->"],
  ["a comment with backticks before code", "<!-- use ` here: Closes HO-7 --> `code`"],
  ["a comment in HTML, where backticks are no code", "<details>\n`<!-- Closes HO-7 -->`\n</details>"],
  ["a comment behind a fence", "```\n<!--\n```\n<!-- Closes HO-7 -->"],
  ["a comment in a list's item", "1. First\n\n   <!-- Closes HO-7 -->"],
  ["a fence that isn't one", "    ```\n<!-- Closes HO-7 -->\n    ```"],
  ["a comment that ends a paragraph", "A ` text\n<!-- Closes HO-7 ` -->"],
  ["a comment in an item with tabs", "-\tFirst\n\n\t<!-- Closes HO-7 -->"],
  ["a comment in an item of two digits with tabs", "10.\tFirst\n\n\t<!-- Closes HO-7 -->"],
  ["a comment behind a fence below an empty item", "-\n\n  ```\n  text\n\n```\n<!-- Closes HO-7 -->"],
  ["a comment below equals signs that underline nothing", "===\n    <!-- Closes HO-7 -->"],
];

describe("of a pull request's text", () => {
  test.each(VISIBLE)("what stands behind %s is read", (_, body) => {
    expect(withoutComments(body)).toContain("Closes HO-7");
    expect(withoutComments(body)).not.toContain("HO-1");
  });

  test.each(HIDDEN)("what stands in %s is not", (_, body) => {
    expect(withoutComments(body)).not.toContain("HO-7");
  });

  test("as much is read as a Markdown library shows, with any code, lists and quotes", () => {
    fc.assert(
      fc.property(document, (body) => {
        const html = renderToStaticMarkup(createElement(Markdown, { rehypePlugins: [shown] }, body));
        expect(refsIn(withoutComments(body))).toEqual(refsIn(html));
      }),
      { numRuns: 800 },
    );
  });

  test.each(["`", "` ``", "<!-- ", "a<!-- ", "> ", "- ", "1. ", "*a_", "<a ", "\\", "~~~\n", "- \n", "a`\n"])(
    "64 KiB of %j are read at once",
    (piece) => {
      const body = piece.repeat(65_536 / piece.length);
      expect(withoutComments(`${body}\n<!-- -->`).length).toBeLessThanOrEqual(2 * body.length + 9);
    },
  );
});

interface Node {
  type: string;
  tagName?: string;
  value?: string;
  children?: Node[];
}

/**
 * Returns the part of the HTML in a text that a browser shows. A comment without an end hides the
 * rest of its paragraph.
 */
function shown() {
  const show = (node: Node): void => {
    let isHidden = false;
    for (const child of node.children ?? []) {
      const { type, value = "" } = child;
      if (isHidden && !BLOCKS.includes(child.tagName ?? "")) {
        // HTML of its own block may stand beside the text, without a paragraph between them.
        const rest = type === "raw" ? value.split("-->").slice(1).join("-->") : "";
        isHidden = type !== "raw" || !value.includes("-->");
        Object.assign(child, { type: "text", value: rest.replace(COMMENT, ""), children: [] });
      } else if (type === "raw") {
        Object.assign(child, { type: "text", value: value.replace(COMMENT, "") });
      } else if (type === "text" && value.includes("<!--")) {
        child.value = value.replace(/<!--[^]*/, "");
        isHidden = true;
      } else if (child.tagName !== "code") {
        isHidden = false;
        show(child);
      }
    }
  };
  return show;
}

const COMMENT = /<!--[^]*?(?:-->|$)/g;
const BLOCKS = ["h1", "hr", "p", "ul", "ol", "li", "pre", "blockquote", "h2"];

function refsIn(text: string): string[] {
  return text.match(/HO-\d+/g) ?? [];
}

let number = 0;
const ref = fc.constant(null).map(() => `HO-${++number}`);
const word = fc.constantFrom("text", "a", "it's", "\\`", "*b*");
const span = fc.tuple(
  fc.constantFrom("`", "``", "```"),
  fc.constantFrom("<!--", "a", "-->", "a ` b", "<!-- a -->"),
)
  .map(([ticks, code]) => `${ticks} ${code} ${ticks}`);
const comment = fc.tuple(ref, fc.constantFrom(" ", "\n", " ` ", " `` ")).map(([ref, gap]) =>
  `<!--${gap}${ref} -->`
);
const inline = fc.array(fc.oneof(word, ref, span, comment, fc.constantFrom("`", "``")), {
  minLength: 1,
  maxLength: 6,
})
  .map((pieces) => pieces.join(" "));

const paragraph = fc.array(inline, { minLength: 1, maxLength: 3 }).map((lines) => lines.join("\n"));
const fence = fc.tuple(fc.constantFrom("```", "````", "~~~"), fc.array(inline, { maxLength: 3 }))
  .map(([mark, lines]) => [mark, ...lines.map((line) => line.replaceAll("\n", " ")), mark].join("\n"));
const indentedCode = inline.map((line) => line.split("\n").map((part) => `    ${part}`).join("\n"));
const hidden = fc.tuple(ref, fc.constantFrom("\n", "\n\n", " ` ")).map(([ref, gap]) =>
  `<!--${gap}${ref}${gap}-->`
);
const heading = inline.map((line) => `## ${line.replaceAll("\n", " ")}`);
const rule = fc.constantFrom("===", "---", "--", "***");
const block = fc.oneof(paragraph, fence, indentedCode, hidden, heading, rule);
const blocks = (separator: string) =>
  fc.array(block, { minLength: 1, maxLength: 4 }).map((all) => all.join(separator));

const prefixed = (first: string, rest: string) => (text: string) =>
  text.split("\n").map((line, at) => (at === 0 ? first : rest) + line).join("\n");
const quote = blocks("\n\n").map(prefixed("> ", "> "));
const item = fc.tuple(fc.constantFrom("- ", "1. ", "* ", "-\t", "1.\t"), blocks("\n\n")).map(([mark, text]) =>
  prefixed(mark, mark.endsWith("\t") ? "\t" : " ".repeat(mark.length))(text)
);
const document = fc.array(fc.oneof(blocks("\n"), blocks("\n\n"), quote, item), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("\n\n"));
