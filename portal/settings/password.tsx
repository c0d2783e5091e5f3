import { handoff } from "../api/client.ts";
import { sayDone } from "../app/toasts.tsx";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import { settings as words } from "../words/settings.ts";

export function Password() {
  return (
    <Section title={words.password} hint={words.passwordHint}>
      <CallForm
        submit={words.changePassword}
        done={() => sayDone(words.passwordChanged)}
        send={({ current_password = "", new_password = "" }) =>
          handoff.api.auth.changePassword.mutate({ current_password, new_password })}
      >
        <Field
          name="current_password"
          type="password"
          label={words.currentPassword}
          autoComplete="current-password"
          isRequired
        />
        <Field
          name="new_password"
          type="password"
          label={words.newPassword}
          autoComplete="new-password"
          isRequired
        />
      </CallForm>
    </Section>
  );
}
