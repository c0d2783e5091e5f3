import { useMutation } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import type { Project, Role, Ticket } from "../api/types.ts";
import { sayRefused } from "../app/toasts.tsx";
import { changeRole } from "../data/tickets.ts";
import { Check, Flask, Plus, Question } from "../ui/icons.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { RESOLUTIONS, ROLE_STATUS, ROLES } from "../words/enums.ts";
import { ticket as words } from "../words/ticket.ts";
import { useChoose } from "./use_save.ts";

interface Props {
  project: Project;
  ticket: Ticket;
  mayWrite: boolean;
  /** Leads to the tab of the test cases or questions. */
  show: (tab: "cases" | "conversation") => void;
}

const ACTS = ["start", "finish", "skip", "reopen"] as const;

/**
 * Shows what keeps a ticket from being closed, before anybody tries; each part leads to a remedy.
 */
export function Gate({ project, ticket, mayWrite, show }: Props) {
  const { roles, cases, pending_questions: questions, status, resolution_type, closing } = ticket;
  return (
    <section className="gate" aria-label={words.gate}>
      <ul>
        {roles.map(({ role, status }) => (
          <li key={role}>
            <RoleMenu project={project} ticket={ticket} role={role} status={status} mayWrite={mayWrite} />
          </li>
        ))}
        {mayWrite && (
          <li>
            <AddRole project={project} ticket={ticket} />
          </li>
        )}
        {cases.total > 0 && (
          <li>
            <Button
              className={`gate-part${closing.cases === 0 ? " done" : ""}`}
              onPress={() => show("cases")}
            >
              {closing.cases === 0 ? <Check /> : <Flask />}
              {words.casesGate(cases.approved, cases.total)}
            </Button>
          </li>
        )}
        {questions > 0 && (
          <li>
            <Button className="gate-part ask" onPress={() => show("conversation")}>
              <Question />
              {words.questionsLeft(questions)}
            </Button>
          </li>
        )}
      </ul>
      <p className="hint">
        {status === "closed"
          ? words.isClosed(RESOLUTIONS[resolution_type ?? "completed"])
          : closing.roles + closing.cases === 0
          ? words.canClose
          : [
            closing.roles > 0 && words.rolesLeft(closing.roles),
            closing.cases > 0 && words.casesLeft(closing.cases),
          ].filter(Boolean).join(", ")}
      </p>
    </section>
  );
}

function RoleMenu(
  { project, ticket, role, status, mayWrite }: Omit<Props, "show"> & Ticket["roles"][number],
) {
  const change = useMutation({
    ...changeRole({ id: project.id, ticketId: ticket.id }, role),
    onError: (error) => sayRefused(error),
  });
  const isDone = status === "done" || status === "skipped";
  return (
    <MenuButton
      className={`gate-part ${status}`}
      isDisabled={!mayWrite}
      aria-label={`${words.roleActions(ROLES[role])}: ${ROLE_STATUS[status]}`}
      label={words.roleActions(ROLES[role])}
      acts={ACTS.map((act) => ({ label: words[act], run: () => change.mutate(act) }))}
    >
      {isDone ? <Check /> : <span className="dot" />}
      {ROLES[role]} <small>{ROLE_STATUS[status]}</small>
    </MenuButton>
  );
}

function AddRole({ project, ticket }: { project: Project; ticket: Ticket }) {
  const choose = useChoose(project, ticket);
  const has = ticket.roles.map(({ role }) => role);
  const others = (Object.keys(ROLES) as Role[]).filter((role) => !has.includes(role));
  return (
    <MenuButton
      className="gate-part add"
      aria-label={words.addRole}
      label={words.addRole}
      acts={others.map((role) => ({
        label: ROLES[role],
        run: () => choose({ roles: [...has, role] }, words.roles),
      }))}
    >
      <Plus />
      {has.length === 0 && words.addRole}
    </MenuButton>
  );
}
