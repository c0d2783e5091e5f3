import ipaddr from "ipaddr.js";

/** The reason why a request must not go to an address. */
export class RefusedAddress extends Error {
  override name = "RefusedAddress";
}

/**
 * Every public IPv6 address is in this range. The library gives addresses that wrap an IPv4 address
 * (NAT64, 6to4) other ranges.
 */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** Tells whether this is the address of a single machine on the public internet. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.match(GLOBAL_IPV6) && !isTunnelled(parsed));
}

/** Tells whether the address wraps an IPv4 address, public or not, for an ISATAP tunnel. */
function isTunnelled({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe;
}

/**
 * Checks an address as written. The addresses of a name are checked when the request is sent. The
 * URL parser has turned every notation of an IPv4 address (octal, hexadecimal, one number) into the
 * usual one.
 * @param allowedHosts hosts that may be private, from `WEBHOOK_ALLOWED_HOSTS`
 * @throws {RefusedAddress}
 */
export function checkUrl(text: string, allowedHosts: readonly string[]): URL {
  // The parser would drop line ends and encode blanks, and the request would go to another address than the shown one.
  // deno-lint-ignore no-control-regex
  if (/[\s\x00-\x1f\x7f-\x9f]/.test(text)) throw new RefusedAddress("it must not hold blanks or line ends");
  if (!URL.canParse(text)) throw new RefusedAddress("it is not an address");
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw new RefusedAddress("only https and http addresses are accepted");
  if (url.username || url.password) throw new RefusedAddress("it must not hold a user name or password");
  if (url.hash) throw new RefusedAddress("it must not have a fragment");
  if (allowedHosts.includes(url.hostname)) return url;
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(literal) && !isPublic(literal)) throw notPublic(url.hostname);
  if (/(^|\.)(localhost|local|internal)\.?$/i.test(url.hostname)) throw notPublic(url.hostname);
  const port = Number(url.port);
  if (port > 0 && port < 1024) throw new RefusedAddress("below 1024 only the ports 80 and 443 are accepted");
  return url;
}

/**
 * Checks all addresses of a name, because any of them may be used.
 * @throws {RefusedAddress} if one is not public
 */
export function checkAddresses(hostname: string, addresses: readonly string[]): void {
  if (!addresses.every(isPublic)) throw notPublic(hostname);
}

/** Also the error for a name without an address, so that errors don't tell which internal names exist. */
export function notPublic(host: string): RefusedAddress {
  return new RefusedAddress(
    `${host} is not an address on the public internet, and not one of WEBHOOK_ALLOWED_HOSTS`,
  );
}
