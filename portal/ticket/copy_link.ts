import { sayDone, sayRefused } from "../app/toasts.tsx";
import { copyText } from "../ui/copy.ts";
import { ticket as words } from "../words/ticket.ts";

/** Copies the address of a ticket's own page. */
export function copyLink({ key, ref }: { key: string; ref: string }): void {
  copyOf(`${location.origin}/${key}/tickets/${ref}`, words.copied);
}

/** Copies a text, and says so, or shows the text if the browser doesn't let it be copied. */
export function copyOf(text: string, done: string): void {
  void copyText(text).then((isCopied) => isCopied ? sayDone(done) : sayRefused(words.notCopied(text)));
}
