import { useState } from "react";
import { Checkbox } from "react-aria-components";
import type { Webhook } from "../api/types.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { Choice } from "../ui/menu.tsx";
import { webhooks as words } from "../words/project_settings.ts";

type Fields = Pick<Webhook, "url" | "types" | "description" | "format" | "full">;

interface Props {
  webhook?: Webhook;
  submit: string;
  send: (fields: Fields) => Promise<unknown>;
  done?: () => void;
}

/** The address, events and format of a webhook, for a new webhook or an existing one. */
export function WebhookForm({ webhook, submit, send, done = () => {} }: Props) {
  const [format, setFormat] = useState(webhook?.format ?? "standard");
  const [full, setFull] = useState(webhook?.full ?? false);
  const put = ({ url = "", types, description }: Record<string, string>) =>
    send({
      url,
      types: types?.split(/[\s,]+/).filter(Boolean) ?? null,
      description: description ?? null,
      format,
      full,
    });
  return (
    <CallForm key={webhook?.updated_at} submit={submit} send={put} done={done}>
      <Field
        name="url"
        type="url"
        label={words.url}
        defaultValue={webhook?.url ?? ""}
        maxLength={2000}
        isRequired
      />
      <Field
        name="types"
        label={words.types}
        hint={words.typesHint}
        defaultValue={webhook?.types?.join(" ") ?? ""}
      />
      <Field
        name="description"
        label={words.description}
        defaultValue={webhook?.description ?? ""}
        maxLength={500}
      />
      <div className="row">
        <Choice
          label={words.format}
          words={words.formats}
          value={format}
          onChange={(to) => to && setFormat(to)}
        />
        <Checkbox className="check" isSelected={full} onChange={setFull}>
          <span className="box" aria-hidden="true" />
          {words.full}
        </Checkbox>
      </div>
    </CallForm>
  );
}
