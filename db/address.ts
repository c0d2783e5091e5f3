/**
 * Returns an address for each host of DATABASE_URL, which may name several, such as
 * `postgres://handoff@one:5432,two:5432/handoff`. The service finds the host that takes writes by
 * asking each host. Therefore libpq's `target_session_attrs` is left out, with which postgres.js
 * (3.4.9) takes a standby for read-write.
 */
export function addressesOf(url: string): string[] {
  const [, before, hosts, rest] = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (hosts === undefined) return [url];
  return hosts.split(",").map((host) => withoutAttributes(`${before}${host}${rest}`));
}

function withoutAttributes(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (!WRITES.includes(url.searchParams.get("target_session_attrs") ?? "")) return address;
  url.searchParams.delete("target_session_attrs");
  return url.href;
}

/** The values that ask for the server that takes writes, which the service always looks for. */
const WRITES = ["read-write", "primary"];

/** Names the hosts and the database, without user and password. */
export function placeOf(url: string): string {
  const addresses = addressesOf(url).map((address) => new URL(address));
  return `postgres://${addresses.map(({ host }) => host).join(",")}${addresses[0]!.pathname}`;
}

/**
 * The host that a process uses at the moment. The health check looks for another host if this one
 * is lost.
 */
export class Hosts {
  readonly #addresses: string[];
  #at = 0;

  constructor(url: string) {
    this.#addresses = addressesOf(url);
  }

  get address(): string {
    return this.#addresses[this.#at]!;
  }

  next(): void {
    this.#at = (this.#at + 1) % this.#addresses.length;
  }

  /**
   * Uses the first host for which `takesWrites` returns true. If there is none, uses the first host
   * of the list.
   */
  async find(takesWrites: (address: string) => Promise<boolean>): Promise<void> {
    if (this.#addresses.length === 1) return;
    for (const _ of this.#addresses) {
      if (await takesWrites(this.address)) return;
      this.next();
    }
  }
}
