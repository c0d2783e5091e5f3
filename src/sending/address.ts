import ipaddr from "ipaddr.js";

/** Why a request must not go there. */
export class RefusedAddress extends Error {
  override name = "RefusedAddress";
}

/** Everything that goes to the internet has such an address; what wraps an IPv4 address (NAT64, 6to4) has others. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** Is it an address of the public internet, of one machine? */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || parsed.match(GLOBAL_IPV6));
}

/**
 * Checks what an address says by itself; a name's addresses are checked when the request goes out. The URL parser has
 * turned every notation of an IPv4 address (octal, hexadecimal, one number) into the usual one.
 * @param allowedHosts hosts that may be private, of `WEBHOOK_ALLOWED_HOSTS`
 * @throws {RefusedAddress}
 */
export function checkUrl(text: string, allowedHosts: readonly string[]): URL {
  if (!URL.canParse(text)) throw new RefusedAddress("it is no address");
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw new RefusedAddress("only https and http addresses are taken");
  if (url.username || url.password) throw new RefusedAddress("it must not hold a user name or password");
  if (url.hash) throw new RefusedAddress("it must not have a fragment");
  if (allowedHosts.includes(url.hostname)) return url;
  const port = Number(url.port);
  if (port > 0 && port < 1024) throw new RefusedAddress("of the ports below 1024 only 80 and 443 are taken");
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(literal) && !isPublic(literal)) throw notPublic(url.hostname);
  if (/(^|\.)(localhost|local|internal)\.?$/i.test(url.hostname)) throw notPublic(url.hostname);
  return url;
}

/** @throws {RefusedAddress} unless all of a name's addresses are public: which one is taken must not matter */
export function checkAddresses(hostname: string, addresses: readonly string[]): void {
  if (!addresses.every(isPublic)) throw notPublic(hostname);
}

function notPublic(host: string): RefusedAddress {
  return new RefusedAddress(
    `${host} is no address of the public internet, and not one of WEBHOOK_ALLOWED_HOSTS`,
  );
}
