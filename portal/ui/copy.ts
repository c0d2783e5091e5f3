/**
 * Copies a text, and tells whether it could. Without https a browser has no clipboard for a page, so
 * the text is selected in a hidden field and copied from there.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const from = document.activeElement as HTMLElement | null;
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "hidden";
    document.body.append(field);
    field.select();
    // There is no other way on a page without https.
    const isCopied = document.execCommand("copy");
    field.remove();
    from?.focus();
    return isCopied;
  }
}
