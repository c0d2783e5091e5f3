import { Checkbox } from "react-aria-components";
import { sayDone } from "../app/toasts.tsx";
import { changePassword } from "../data/keys.ts";
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
        send={({ current_password = "", new_password = "", revoke_keys }) =>
          changePassword({ current_password, new_password, revoke_keys: revoke_keys !== undefined })}
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
        <Checkbox className="check" name="revoke_keys">
          <span className="box" />
          <span>{words.revokeKeys}</span>
        </Checkbox>
      </CallForm>
    </Section>
  );
}
