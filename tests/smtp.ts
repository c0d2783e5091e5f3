import { simpleParser } from "mailparser";
import { SMTPServer } from "smtp-server";
import { until } from "./until.ts";

export interface Received {
  to: string;
  id: string;
  subject: string;
  text: string;
  headers: Map<string, unknown>;
}

/** A mail server that accepts mails, or fails as a test asks. */
export class TestMailServer {
  readonly received: Received[] = [];
  /** Recipients that it refuses. */
  readonly refused = new Set<string>();
  /** Recipients whose mails it refuses with an answer of the test's, such as `550 5.7.1 relay access denied`. */
  readonly refusals = new Map<string, string>();
  /**
   * The number of next mails whose connection breaks in the middle, before or just after the mail
   * is stored.
   */
  breaks: { before: number; after: number } = { before: 0, after: 0 };
  /** Recipients whose mails it holds back until the promise is kept. */
  readonly slow = new Map<string, Promise<void>>();
  readonly #server: SMTPServer;
  #port = 0;

  constructor() {
    this.#server = this.#make();
  }

  static async start(): Promise<TestMailServer> {
    const server = new TestMailServer();
    // A client that dies in the middle of a mail must not stop the server.
    server.#server.on("error", () => {});
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    server.#port = (server.#server.server.address() as { port: number }).port;
    return server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  /** Returns the mails to an address, once there are `count` of them. */
  async to(address: string, count = 1): Promise<Received[]> {
    const found = () => this.received.filter(({ to }) => to === address);
    await until(() => found().length >= count);
    return found();
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  #make(): SMTPServer {
    return new SMTPServer({
      authOptional: true,
      disabledCommands: ["AUTH", "STARTTLS"],
      logger: false,
      onRcptTo: async ({ address }, _, callback) => {
        await this.slow.get(address);
        const answer = this.refused.has(address) ? "550 no such mailbox" : this.refusals.get(address);
        if (answer === undefined) return callback();
        const [, code, text] = /^(\d{3}) (.*)$/.exec(answer)!;
        callback(Object.assign(new Error(text), { responseCode: Number(code) }));
      },
      onData: (stream, session, callback) => {
        const connection =
          (session as unknown as { connection?: { _socket: { destroy(): void } } }).connection;
        const cut = () => {
          stream.resume();
          const found = connection ??
            [...this.#server.connections].at(-1) as unknown as { _socket: { destroy(): void } };
          found._socket.destroy();
        };
        if (this.breaks.before > 0) {
          this.breaks.before--;
          return cut();
        }
        simpleParser(stream).then((mail) => {
          const [to] = session.envelope.rcptTo;
          this.received.push({
            to: to!.address,
            id: mail.messageId ?? "",
            subject: mail.subject ?? "",
            text: mail.text ?? "",
            headers: mail.headers,
          });
          if (this.breaks.after > 0) {
            this.breaks.after--;
            return cut();
          }
          callback();
        }, () => {}); // A client that died in mid-mail has sent nothing.
      },
    });
  }
}
