/**
 * Returns the full address to go to after the sign-in, if it is one of the portal's own. The browser
 * reads an address in ways that its first letters don't show, so its origin is compared.
 */
export function ownAddress(next: unknown, origin: string): string | null {
  if (typeof next !== "string" || !next.startsWith("/") || !URL.canParse(next, origin)) return null;
  const address = new URL(next, origin);
  return address.origin === origin ? address.href : null;
}
