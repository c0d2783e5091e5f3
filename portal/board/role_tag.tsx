import type { Role, RoleStatus } from "../api/types.ts";
import { Check } from "../ui/icons.tsx";
import { ROLE_STATUS, ROLES } from "../words/enums.ts";

/** A role of a ticket, with its state as a sign and as a word, because colours alone tell not everybody. */
export function RoleTag({ role, status }: { role: Role; status: RoleStatus }) {
  const state = `${ROLES[role]}: ${ROLE_STATUS[status]}`;
  return (
    <span className={`tag ${status}`} title={state}>
      {status === "done" || status === "skipped" ? <Check /> : <span className={`dot small ${status}`} />}
      <span aria-hidden="true">{ROLES[role]}</span>
      <span className="hidden">{state}</span>
    </span>
  );
}
