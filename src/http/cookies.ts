/**
 * The values of every cookie of a name, in the order in which they came. A browser sends one for each domain and path that
 * has set it, and HTTP/2 parts them into fields, which are joined by commas.
 */
export function cookiesNamed(name: string, header: string | null): string[] {
  return (header ?? "").split(/[;,]/).flatMap((pair) => {
    const [before = "", ...value] = pair.split("=");
    return value.length > 0 && before.trim() === name
      ? [value.join("=").trim().replace(/^"(.*)"$/, "$1")]
      : [];
  });
}
