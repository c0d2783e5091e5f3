import { createTransport } from "nodemailer";
import { type Config, smtpPort } from "./config.ts";

export interface Mail {
  /**
   * The mail's id, which is the same in all tries to send it, so that a server recognises a mail
   * that it has already received.
   */
  id: string;
  to: string;
  subject: string;
  text: string;
  /** The id of the first mail about the same thing, if this is another one. */
  thread?: string | undefined;
  /** The address at which the reader ends such mails with one click. */
  unsubscribe?: string | undefined;
}

/** The server will never accept this mail, because of the mail's recipient. */
export class MailRefused extends Error {
  override name = "MailRefused";
}

export interface Mailer {
  /** @throws {MailRefused} when the refusal is final; any other error is worth another try */
  send(mail: Mail): Promise<void>;
}

/**
 * How long a mail server may take to accept the connection, and to answer during a conversation.
 */
const PATIENCE = { connectMs: 10_000, silenceMs: 20_000 };

/** Returns null if mail isn't set up. */
export function createMailer(
  { SMTP_URL, MAIL_FROM, PUBLIC_URL }: Pick<Config, "SMTP_URL" | "MAIL_FROM" | "PUBLIC_URL">,
  { connectMs, silenceMs } = PATIENCE,
): Mailer | null {
  if (!SMTP_URL || !MAIL_FROM) return null;
  const { hostname, port, protocol, username, password } = new URL(SMTP_URL);
  const transport = createTransport({
    // The brackets of an IPv6 address belong to the URL.
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || smtpPort(protocol),
    secure: protocol === "smtps:",
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = new URL(PUBLIC_URL).hostname;
  return {
    async send(mail) {
      try {
        await transport.sendMail(toMessage(mail, MAIL_FROM, domain));
      } catch (error) {
        if (isOfRecipient(error as Refusal)) throw new MailRefused((error as Error).message);
        throw error;
      }
    },
  };
}

/** The fields that nodemailer adds to the error of a refused command. */
interface Refusal {
  command?: string;
  responseCode?: number;
  response?: string;
}

/**
 * Tells whether a refusal is about the recipient's address alone, by the enhanced status code if the server
 * sends one. A refusal of the sender, of relaying or of a policy ends when the server is mended.
 */
function isOfRecipient({ command, responseCode = 0, response = "" }: Refusal): boolean {
  if (command !== "RCPT TO" || responseCode < 500) return false;
  const [, enhanced] = /^\d{3}[ -](5\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? [];
  if (enhanced !== undefined) return /^5\.(?:1\.(?:[1236]|10)|2\.1)$/.test(enhanced);
  return (responseCode === 550 || responseCode === 551 || responseCode === 553) &&
    !/relay|sender|auth|denied|polic|block|spam/i.test(response);
}

function toMessage({ id, to, subject, text, thread, unsubscribe }: Mail, from: string, domain: string) {
  return {
    from,
    to: { name: "", address: to },
    subject,
    text,
    messageId: `<${id}@${domain}>`,
    ...(thread && { references: `<${thread}@${domain}>`, inReplyTo: `<${thread}@${domain}>` }),
    headers: {
      "Auto-Submitted": "auto-generated",
      ...(unsubscribe && {
        "List-Unsubscribe": `<${unsubscribe}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      }),
    },
  };
}
