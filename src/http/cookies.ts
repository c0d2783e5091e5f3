/**
 * The values of every cookie of a name, in the order in which they came. A browser sends one for
 * each domain and path that has set it, and HTTP/2 parts them into fields, which are joined by
 * commas.
 */
function cookiesNamed(name: string, header: string | null): string[] {
  return (header ?? "").split(/[;,]/).flatMap((pair) => {
    const [before = "", ...value] = pair.split("=");
    return value.length > 0 && before.trim() === name
      ? [value.join("=").trim().replace(/^"(.*)"$/, "$1")]
      : [];
  });
}

/** The values of a cookie by the first of its names under which any came. */
export function cookiesOf(names: readonly string[], header: string | null): string[] {
  for (const name of names) {
    const values = cookiesNamed(name, header);
    if (values.length > 0) return values;
  }
  return [];
}
