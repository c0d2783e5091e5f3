import { useMutation, useQuery } from "@tanstack/react-query";
import { Label, Radio, RadioGroup } from "react-aria-components";
import type { NotificationSettings } from "../api/types.ts";
import { Confirm } from "../app/confirm.tsx";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { notificationsQuery, putNotifications } from "../data/settings.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import { notifications as words } from "../words/settings.ts";

type Mail = NotificationSettings["mail"];
type Change = Partial<NotificationSettings> & { chat_url?: string | null };

/** The settings for mail and chat messages to the person. */
export function Notifications() {
  const { data } = useQuery(notificationsQuery);
  return (
    <Section id="notifications" title={words.title} hint={words.hint}>
      {data && (
        <>
          <Mails settings={data} />
          <ChatHook settings={data} />
        </>
      )}
    </Section>
  );
}

function put(settings: NotificationSettings, { mail = settings.mail, chat_url }: Change) {
  return putNotifications({ mail, ...(chat_url !== undefined && { chat_url }) });
}

/** Shows the choice at once, and takes it back if the service refuses it. */
function Mails({ settings }: { settings: NotificationSettings }) {
  const choose = useMutation({
    mutationFn: (mail: Mail) => put(settings, { mail }),
    onSuccess: () => sayDone(words.saved, () => choose.mutate(settings.mail)),
    onError: (error) => sayRefused(error),
  });
  const shown = choose.isPending ? choose.variables : settings.mail;
  return (
    <RadioGroup
      className="choices"
      value={shown}
      onChange={(mail) => choose.mutate(mail as Mail)}
    >
      <Label>{words.mail}</Label>
      {!settings.mail_available && <p className="hint">{words.noMail}</p>}
      {(Object.entries(words.mails) as [Mail, { name: string; what: string }][]).map((
        [mail, { name, what }],
      ) => (
        <Radio key={mail} value={mail} className="choice-row">
          <span className="dot" aria-hidden="true" />
          <span>
            <b>{name}</b>
            <small>{what}</small>
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

function ChatHook({ settings }: { settings: NotificationSettings }) {
  const { chat_host: host } = settings;
  return (
    <>
      {host && (
        <p className="row">
          <span>{words.chatAt(host)}</span>
          <Confirm
            label={words.chatRemove}
            question={words.chatRemoveQuestion(host)}
            done={words.chatRemoved}
            run={() => put(settings, { chat_url: null })}
          />
        </p>
      )}
      <CallForm
        look="inline"
        submit={words.save}
        send={({ chat_url = "" }) => put(settings, { chat_url })}
        done={() => sayDone(words.saved)}
      >
        <Field
          name="chat_url"
          type="url"
          label={host ? words.chatOther : words.chat}
          hint={words.chatHint}
          maxLength={2000}
          isRequired
        />
      </CallForm>
    </>
  );
}
