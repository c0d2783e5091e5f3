import { Webhook } from "standardwebhooks";

/** The parts of an event that the receiver knows. */
export interface Received {
  type: string;
  seq: number;
}

export interface ReceiverOptions {
  port: number;
  /** The secret that was shown when the webhook was made. */
  secret: string;
  /** The answers to the first deliveries, such as [500, 410]; 204 after that. */
  failures: number[];
  /** Called with each event once, before it is acknowledged. */
  onEvent?: (event: Received) => void;
  say?: (line: string) => void;
}

/**
 * A receiver of the service's webhooks. It checks each signature, accepts each id once, and can
 * simulate failures.
 */
export function startReceiver(
  { port, secret, failures, onEvent = () => {}, say = console.log }: ReceiverOptions,
): Deno.HttpServer {
  const webhook = new Webhook(secret);
  const seen = new Set<string>();
  return Deno.serve({ port, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const body = await request.text();
    const id = request.headers.get("webhook-id") ?? "";
    try {
      const event = webhook.verify(body, Object.fromEntries(request.headers)) as Received;
      const status = failures.shift() ?? 204;
      const isNew = status === 204 && !seen.has(id);
      if (isNew) onEvent(event);
      if (status === 204) seen.add(id);
      say(`${status} ${id} ${event.type}${isNew || status !== 204 ? "" : " (again)"}`);
      return new Response(null, { status });
    } catch (error) {
      say(`401 ${id} ${error instanceof Error ? error.message : error}`);
      return new Response(null, { status: 401 });
    }
  });
}
