import { useRef, useState } from "react";
import { Button } from "react-aria-components";
import { settings as words } from "../words/settings.ts";
import { copyText } from "./copy.ts";

/** A text to be copied. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState(false);
  const shown = useRef<HTMLPreElement>(null);
  const copy = async () => {
    if (await copyText(text)) setCopied(true);
    // The text is selected for Ctrl C.
    else getSelection()?.selectAllChildren(shown.current!);
  };
  return (
    <figure className="copyable">
      <figcaption>{label}</figcaption>
      <pre ref={shown} tabIndex={0}>{text}</pre>
      <Button className="button" onPress={() => void copy()} aria-label={`${words.copy}: ${label}`}>
        {copied ? words.copied : words.copy}
      </Button>
    </figure>
  );
}
