import { useQuery } from "@tanstack/react-query";
import { CheckboxGroup, Label } from "react-aria-components";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { putRoles, rolesQuery } from "../data/settings.ts";
import { CheckOption } from "../ui/check_option.tsx";
import { Section } from "../ui/section.tsx";
import { admin as words } from "../words/admin.ts";
import { ROLES } from "../words/enums.ts";

/** Which roles the account uses; each change is saved at once. */
export function Roles() {
  const { data } = useQuery(rolesQuery);
  const roles = data?.roles ?? [];
  const put = (enabled: string[]) =>
    void putRoles({
      roles: roles.map(({ role }) => ({ role, enabled: enabled.includes(role) })),
    }).then(() => sayDone(words.done), sayRefused);
  return (
    <Section title={words.sections.roles} hint={words.rolesHint}>
      <CheckboxGroup
        className="options"
        value={roles.filter(({ enabled }) => enabled).map(({ role }) => role)}
        onChange={put}
      >
        <Label>{words.rolesLabel}</Label>
        <div>{roles.map(({ role }) => <CheckOption key={role} value={role} label={ROLES[role]} />)}</div>
      </CheckboxGroup>
    </Section>
  );
}
