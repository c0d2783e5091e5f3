import { useQuery } from "@tanstack/react-query";
import { hostAccountQuery, linkHostAccount, unlinkHostAccount } from "../data/settings.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Confirm } from "../app/confirm.tsx";
import { Field } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import { settings as words } from "../words/settings.ts";

/** The person's account at the code host. */
export function CodeHosting() {
  const { data } = useQuery(hostAccountQuery);
  return (
    <Section title={words.hosting} hint={words.hostingHint}>
      {data?.state === "refused" && <p role="alert" className="refusal">{words.refused}</p>}
      {data?.state === "not_linked" && <p className="empty">{words.notLinked}</p>}
      {data?.login && (
        <p className="row">
          {words.linkedAs(data.login)}
          <Confirm
            label={words.unlink}
            question={words.unlinkQuestion}
            done={words.unlinked}
            run={unlinkHostAccount}
          />
        </p>
      )}
      <CallForm
        submit={words.link}
        send={({ token = "" }) => linkHostAccount(token)}
      >
        <Field name="token" type="password" label={words.token} autoComplete="off" isRequired />
      </CallForm>
    </Section>
  );
}
