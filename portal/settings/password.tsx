import { Checkbox } from "react-aria-components";
import { handoff, queryClient, trpc } from "../api/client.ts";
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
        send={async ({ current_password = "", new_password = "", revoke_keys }) => {
          const body = { current_password, new_password, revoke_keys: revoke_keys !== undefined };
          await handoff.api.auth.changePassword.mutate(body);
          await queryClient.invalidateQueries({ queryKey: trpc.keys.list.queryKey() });
        }}
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
