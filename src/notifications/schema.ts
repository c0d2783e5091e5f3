import { z } from "zod";
import { WebAddress } from "../core/schema.ts";

export const MailWish = z.enum(["all", "urgent", "none"]).describe(
  "all: questions, approvals and mentions at once, the rest in a digest after 15 minutes if it is unread still; " +
    "urgent: without the digest",
);

export type MailWish = z.infer<typeof MailWish>;

export const NotificationSettings = z.object({
  mail: MailWish,
  mail_available: z.boolean().describe("Whether the service is set up to send mail"),
  chat_host: z.string().nullable().describe("Host of the chat hook; its whole address is never shown"),
}).meta({ id: "NotificationSettings" });
export type NotificationSettings = z.infer<typeof NotificationSettings>;

export const PutNotificationSettings = z.strictObject({
  mail: MailWish,
  chat_url: WebAddress.nullable().optional().describe(
    'A hook that takes {"text": …}, as those of Slack, Mattermost, ntfy and, with /slack behind it, Discord do; null takes ' +
      "it away, and without the field it stays",
  ),
});
export type PutNotificationSettings = z.infer<typeof PutNotificationSettings>;
