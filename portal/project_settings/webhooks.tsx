import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components";
import type { Project, Webhook } from "../api/types.ts";
import { createWebhook, webhooksQuery } from "../data/webhooks.ts";
import { Copyable } from "../ui/secret.tsx";
import { Rows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { webhooks as words } from "../words/project_settings.ts";
import { OpenWebhook } from "./open_webhook.tsx";
import { WebhookForm } from "./webhook_form.tsx";

/** The addresses that the project's events are sent to. */
export function Webhooks({ project }: { project: Project }) {
  const { data, error } = useQuery(webhooksQuery(project.id));
  const [secret, setSecret] = useState<string | null>(null);
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Section title={words.title} hint={words.hint}>
      {secret !== null && <NewSecret secret={secret} />}
      <Rows
        label={words.title}
        rows={data?.webhooks}
        error={error}
        keyOf={({ id }) => id}
        empty={words.none}
      >
        {(webhook) => (
          <>
            <Summary webhook={webhook} />
            <Button
              className="button"
              aria-expanded={open === webhook.id}
              aria-label={`${words.details}: ${webhook.url}`}
              onPress={() => setOpen(open === webhook.id ? null : webhook.id)}
            >
              {words.details}
            </Button>
            {open === webhook.id && <OpenWebhook webhook={webhook} showSecret={setSecret} />}
          </>
        )}
      </Rows>
      <WebhookForm
        submit={words.add}
        send={async (fields) => {
          const made = await createWebhook({ id: project.id, ...fields });
          setSecret(made.secret);
          setOpen(made.id);
        }}
      />
    </Section>
  );
}

function NewSecret({ secret }: { secret: string }) {
  return (
    <div className="made-key" role="status">
      <p>
        <b>{words.shownOnce}</b>
      </p>
      <Copyable label={words.secret} text={secret} />
    </div>
  );
}

function Summary({ webhook }: { webhook: Webhook }) {
  const { url, types, description, format, enabled, disabled_reason: reason, failing_since } = webhook;
  return (
    <>
      <RowText name={url}>
        {types?.join(", ") ?? words.allTypes} · {words.formats[format]}
        {description && <>· {description}</>}
        {reason && <>· {reason}</>}
      </RowText>
      {failing_since && (
        <span className="tag failed">
          {words.failing} <Time at={failing_since} />
        </span>
      )}
      <span className={`tag ${enabled ? "done" : ""}`}>{enabled ? words.on : words.off}</span>
    </>
  );
}
