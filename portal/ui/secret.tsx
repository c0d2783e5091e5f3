import { useState } from "react";
import { Button } from "react-aria-components";
import { settings as words } from "../words/settings.ts";

/** A text to be copied. */
export function Copyable({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true), () => {});
  return (
    <figure className="copyable">
      <figcaption>{label}</figcaption>
      <pre tabIndex={0}>{text}</pre>
      <Button className="button" onPress={copy} aria-label={`${words.copy}: ${label}`}>
        {copied ? words.copied : words.copy}
      </Button>
    </figure>
  );
}
