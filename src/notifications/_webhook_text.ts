import type { Context } from "../core/context.ts";

interface Off {
  id: string;
  origin: string;
  description: string | null;
  disabled_reason: string;
  project_id: string;
  project: string;
}

/**
 * Returns the text about a webhook that was switched off; null if the webhook is on again or was
 * deleted.
 */
export async function webhookNotice(
  { db, config }: Context,
  webhookId: string | null,
): Promise<{ headline: string; details: string } | null> {
  const [off] = await db<Off[]>`
    select e.id, e.origin, e.description, e.disabled_reason, e.project_id, p.name as project
    from outbound_endpoints e join projects p on p.id = e.project_id
    where e.id = ${webhookId}::uuid and not e.enabled and e.disabled_reason is not null`;
  if (!off) return null;
  const path = `${config.PUBLIC_URL}/api/projects/${off.project_id}/webhooks/${off.id}`;
  const headline = `The webhook to ${new URL(off.origin).host} in ${off.project} was switched off`;
  const details = [
    `${headline}${
      off.description ? ` (${off.description})` : ""
    }: ${off.disabled_reason}. It gets no more events.`,
    `Switch it on again: PATCH ${path} with {"enabled": true}\nSend what it missed: POST ${path}/replay`,
    `How: ${config.PUBLIC_URL}/api/docs`,
  ];
  return { headline: headline.replace(/\s+/g, " "), details: details.join("\n\n") };
}
