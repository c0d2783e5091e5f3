import { setTimeout as pause } from "node:timers/promises";

export interface Listener {
  /** Rejects if the port can't be listened on any more. */
  broken: Promise<never>;
  /** Answers all accepted requests and accepts no more. */
  shutdown(): Promise<void>;
}

interface ListenerOptions {
  hostname: string;
  port: number;
  /** Called each time that the runtime has stopped listening. */
  onStop(error: unknown): void;
}

/** The time between two attempts to listen again. */
const AGAIN_MS = 500;
/** Half a minute. */
const ATTEMPTS = 60;

/**
 * Listens, and listens again when the runtime has stopped. Deno (2.9.6) stops for good at the first
 * connection for which the process has no file descriptor, though it answers those that it has
 * accepted.
 * @throws {Error} if the port can't be listened on at first
 */
export function listenAlways(handler: Deno.ServeHandler<Deno.NetAddr>, options: ListenerOptions): Listener {
  const { hostname, port, onStop } = options;
  const broken = Promise.withResolvers<never>();
  let closed = false;
  const open = () => {
    const server = Deno.serve({ port, hostname, onListen: () => {} }, handler);
    const ended = server.finished.then(() => undefined, (error: unknown) => error ?? new Error("it ended"));
    ended.then((error) => {
      if (!closed && error !== undefined) replace(error).catch(broken.reject);
    });
    return server;
  };
  const servers = new Set([open()]);

  async function replace(error: unknown): Promise<void> {
    onStop(error);
    for (let attempt = 1;; attempt++) {
      await pause(AGAIN_MS);
      if (closed) return;
      try {
        servers.add(open());
        return;
      } catch (failure) {
        if (attempt === ATTEMPTS) throw failure;
      }
    }
  }

  return {
    broken: broken.promise,
    async shutdown() {
      closed = true;
      await Promise.all([...servers].map((server) => server.shutdown()));
    },
  };
}
