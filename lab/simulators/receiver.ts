import { Webhook } from "standardwebhooks";

export interface ReceiverOptions {
  port: number;
  /** The secret that was shown when the webhook was made. */
  secret: string;
  /** The answers to the first deliveries, such as [500, 410]; 204 after that. */
  failures: number[];
}

/**
 * A receiver of the service's webhooks: it checks each signature, takes each id once, and plays
 * failures.
 */
export function startReceiver({ port, secret, failures }: ReceiverOptions): Deno.HttpServer {
  const webhook = new Webhook(secret);
  const seen = new Set<string>();
  return Deno.serve({ port, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const body = await request.text();
    const id = request.headers.get("webhook-id") ?? "";
    try {
      const { type } = webhook.verify(body, Object.fromEntries(request.headers)) as { type: string };
      const status = failures.shift() ?? 204;
      const isNew = status === 204 && !seen.has(id);
      if (status === 204) seen.add(id);
      console.log(`${status} ${id} ${type}${isNew || status !== 204 ? "" : " (again)"}`);
      return new Response(null, { status });
    } catch (error) {
      console.log(`401 ${id} ${error instanceof Error ? error.message : error}`);
      return new Response(null, { status: 401 });
    }
  });
}
