/**
 * Returns the values of all cookies with a name, in the order of the request. A browser sends one
 * value for each domain and path that has set the cookie. HTTP/2 splits them into several fields,
 * which the server joins by commas.
 */
function cookiesNamed(name: string, header: string | null): string[] {
  return (header ?? "").split(/[;,]/).flatMap((pair) => {
    const [before = "", ...value] = pair.split("=");
    return value.length > 0 && before.trim() === name
      ? [value.join("=").trim().replace(/^"(.*)"$/, "$1")]
      : [];
  });
}

/**
 * Returns the values of a cookie that has several names, by the first name with which any cookie
 * came.
 */
export function cookiesOf(names: readonly string[], header: string | null): string[] {
  for (const name of names) {
    const values = cookiesNamed(name, header);
    if (values.length > 0) return values;
  }
  return [];
}
