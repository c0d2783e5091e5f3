/**
 * A proxy between the service and its database. It cuts connections in ways in which a server on
 * this machine never would.
 */
export interface TcpProxy {
  port: number;
  /** Holds back every byte from now on, like a host that has disappeared. */
  hold(): void;
  /** Passes on the bytes that were held back. */
  release(): void;
  /** Ends every connection. */
  cut(): void;
  /**
   * Ends every connection, and from now on ends each connection that has been opened at its first
   * query.
   */
  cutQueries(): void;
  passQueries(): void;
  /** Ends every connection and accepts no more, as if no server were running. */
  refuse(): void;
  /** Accepts connections again. */
  accept(): void;
  close(): void;
}

export function startTcpProxy(target: { hostname: string; port: number }): TcpProxy {
  let listener = listen(0);
  const open = new Set<Deno.Conn>();
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  let cutsQueries = false;

  function end(connection: Deno.Conn): void {
    if (open.delete(connection)) connection.close();
  }

  async function pump(from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const buffer = new Uint8Array(65_536);
    try {
      for (let size = await from.read(buffer); size !== null; size = await from.read(buffer)) {
        await gate.promise;
        if (cutsQueries && new TextDecoder().decode(buffer.subarray(0, size)).includes("select")) break;
        for (let at = 0; at < size;) at += await to.write(buffer.subarray(at, size));
      }
    } catch (error) {
      if (!isGone(error)) throw error;
    }
    await gate.promise;
    end(from);
    end(to);
  }

  async function join(client: Deno.Conn): Promise<void> {
    open.add(client);
    try {
      const server = await Deno.connect(target);
      open.add(server);
      await Promise.all([pump(client, server), pump(server, client)]);
    } catch (error) {
      if (!isGone(error)) throw error;
      end(client);
    }
  }

  function listen(port: number): Deno.TcpListener {
    const listener = Deno.listen({ hostname: "127.0.0.1", port });
    (async () => {
      for await (const client of listener) void join(client);
    })();
    return listener;
  }

  function cut(): void {
    for (const connection of [...open]) end(connection);
  }

  const { addr } = listener;
  return {
    port: addr.port,
    hold() {
      gate = Promise.withResolvers();
    },
    release() {
      gate.resolve();
    },
    cut,
    cutQueries() {
      cutsQueries = true;
      cut();
    },
    passQueries() {
      cutsQueries = false;
    },
    refuse() {
      listener.close();
      cut();
    },
    accept() {
      listener = listen(addr.port);
    },
    close() {
      listener.close();
      gate.resolve();
      cut();
    },
  };
}

function isGone(error: unknown): boolean {
  return error instanceof Deno.errors.BadResource || error instanceof Deno.errors.ConnectionReset ||
    error instanceof Deno.errors.ConnectionRefused || error instanceof Deno.errors.BrokenPipe ||
    error instanceof Deno.errors.Interrupted || error instanceof Deno.errors.NotConnected;
}

/** Returns the address of the same database through the proxy. */
export function throughProxy(url: string, { port }: TcpProxy): string {
  const other = new URL(url);
  other.hostname = "127.0.0.1";
  other.port = String(port);
  return other.href;
}

/** Returns the host and port to which a proxy to this database forwards. */
export function targetOf(url: string): { hostname: string; port: number } {
  const { hostname, port } = new URL(url);
  return { hostname, port: Number(port || 5432) };
}
