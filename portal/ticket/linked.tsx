import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components";
import { part } from "../api/load.ts";
import type { Project, Ticket, TicketLink, TicketSummary } from "../api/types.ts";
import { sayDone, sayRefused, undoable } from "../app/toasts.tsx";
import { linkTicket, ticketLinksQuery, unlinkTicket } from "../data/links.ts";
import { childrenQuery, saveTicket } from "../data/tickets.ts";
import { Avatar } from "../ui/avatar.tsx";
import { ChevronRight, Close, Plus } from "../ui/icons.tsx";
import { Choice, Opener } from "../ui/menu.tsx";
import { app } from "../words/app.ts";
import { linked as words } from "../words/linked.ts";
import { plan } from "../words/plan.ts";
import { LinkedTicket } from "./linked_ticket.tsx";
import { Referring } from "./referring.tsx";

const TicketPicker = part(async () => (await import("./pickers.tsx")).TicketPicker);

interface Props {
  project: Project;
  ticket: Ticket;
  mayWrite: boolean;
}

/** The kinds of links in the order in which they are shown. */
const KINDS = Object.keys(words.kinds) as TicketLink["kind"][];

/** The ticket's parent and children, and its links to other tickets, in both directions. */
export function Linked(props: Props) {
  const { project, ticket, mayWrite } = props;
  const at = { id: project.id, ticketId: ticket.id };
  const { data } = useQuery(ticketLinksQuery(at));
  const links = Map.groupBy(data?.links ?? [], ({ kind }) => kind);
  const onError = (error: unknown) => sayRefused(error);
  const link = useMutation({ ...linkTicket(at), onError });
  const unlink = useMutation({ ...unlinkTicket(at), onError });
  const remove = ({ id, kind, ticket: { id: other, ticket_ref } }: TicketLink) =>
    unlink.mutateAsync(id).then(() =>
      sayDone(
        words.removed(ticket_ref),
        kind === "duplicated_by" ? undefined : () => link.mutate({ kind, ticket: other }),
      ), () => {});
  return (
    <div className="links" aria-busy={!data}>
      {KINDS.filter((kind) => links.has(kind)).map((kind) => (
        <section key={kind} aria-label={words.kinds[kind]}>
          <h3>{words.kinds[kind]}</h3>
          <ul className="link-list">
            {links.get(kind)!.map((one) => (
              <li key={one.id}>
                <LinkedTicket project={project} ticket={one.ticket} />
                {mayWrite && (
                  <Remove
                    label={words.remove(one.ticket.ticket_ref)}
                    run={() => void undoable(remove(one))}
                  />
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
      {data && data.links.length === 0 && data.hidden === 0 && <p className="hint">{words.none}</p>}
      {data && data.hidden > 0 && <p className="hint">{words.hidden(data.hidden)}</p>}
      {mayWrite && (
        <AddLink
          project={project}
          ticket={ticket}
          add={(kind, other) => link.mutate({ kind, ticket: other })}
        />
      )}
      <Children {...props} />
      <Referring project={project} ticket={ticket} />
    </div>
  );
}

function Remove({ label, run }: { label: string; run: () => void }) {
  return (
    <Button className="button quiet icon-only remove" aria-label={label} onPress={run}>
      <Close />
    </Button>
  );
}

type NewKind = Exclude<TicketLink["kind"], "duplicated_by">;

interface AddProps extends Omit<Props, "mayWrite"> {
  add: (kind: NewKind, other: string) => void;
}

/** Links the ticket to another one. Of another project it is named by its ref. */
function AddLink({ project, ticket, add }: AddProps) {
  const [kind, setKind] = useState<NewKind>("blocked_by");
  const { duplicated_by: _, ...kinds } = words.kinds;
  return (
    <div className="row">
      <Choice label={words.kind} words={kinds} value={kind} onChange={(next) => next && setKind(next)} />
      <Opener
        className="button"
        popup="dialog"
        opened={(opened) => (
          <TicketPicker
            {...opened}
            project={project}
            label={words.kinds[kind]}
            isAnyProject
            without={[ticket.id]}
            chosen={[]}
            pick={(picked) => picked && add(kind, typeof picked === "string" ? picked : picked.id)}
          />
        )}
      >
        <Plus />
        {words.add}
      </Opener>
    </div>
  );
}

/** The children of the ticket with their progress, and theirs below them. */
function Children({ project, ticket, mayWrite }: Props) {
  const { open, total } = ticket.children;
  const setParent = useSetParent(project);
  return (
    <section aria-label={words.children}>
      <h3 className="row">
        {words.children}
        {total > 0 && <Progress done={total - open} total={total} />}
      </h3>
      {total > 0
        ? <Branch project={project} parent={ticket} mayWrite={mayWrite} />
        : <p className="hint">{words.noChildren}</p>}
      {mayWrite && ticket.status === "open" && (
        <div className="row">
          <Opener
            className="button"
            popup="dialog"
            opened={(opened) => (
              <TicketPicker
                {...opened}
                project={project}
                label={words.addChild}
                without={[ticket.id]}
                chosen={[]}
                pick={(picked) =>
                  picked && typeof picked !== "string" && "version" in picked &&
                  void setParent(picked, ticket.id)}
              />
            )}
          >
            <Plus />
            {words.addChild}
          </Opener>
        </div>
      )}
    </section>
  );
}

/** Gives a ticket another parent, or none. */
function useSetParent(project: Project) {
  return (child: TicketSummary, parent_id: string | null) =>
    saveTicket({ id: project.id, ticketId: child.id }, { parent_id }, child).then(
      (outcome) => "saved" in outcome || sayRefused(plan.parentChanged(child.ticket_ref)),
      (error: unknown) => sayRefused(error),
    );
}

function Progress({ done, total }: { done: number; total: number }) {
  return (
    <span className="progress">
      <progress max={total} value={done} aria-label={words.progress} />
      <small>{plan.childrenDone(done, total)}</small>
    </span>
  );
}

interface BranchProps {
  project: Project;
  parent: Pick<TicketSummary, "id" | "ticket_ref">;
  mayWrite: boolean;
}

function Branch({ project, parent, mayWrite }: BranchProps) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    childrenQuery(project.id, parent.ticket_ref),
  );
  const children = data?.pages.flatMap(({ tickets }) => tickets) ?? [];
  return (
    <>
      <ul className="link-list" aria-label={words.childrenOf(parent.ticket_ref)} aria-busy={!data}>
        {children.map((child) => (
          <Child
            key={child.id}
            project={project}
            child={child}
            mayWrite={mayWrite}
          />
        ))}
      </ul>
      {hasNextPage && (
        <Button
          className="button"
          isPending={isFetchingNextPage}
          onPress={() => void fetchNextPage()}
        >
          {app.showMore}
        </Button>
      )}
    </>
  );
}

function Child({ project, child, mayWrite }: { project: Project; child: TicketSummary; mayWrite: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const setParent = useSetParent(project);
  const { ticket_ref: ref, children: { open, total }, assignee, parent_id } = child;
  const remove = () =>
    setParent(child, null).then(() =>
      sayDone(words.childRemoved(ref), () => void setParent({ ...child, parent_id: null }, parent_id))
    );
  return (
    <li className="child">
      <div className="child-row">
        {total > 0
          ? (
            <Button
              className={`button quiet icon-only twist${isOpen ? " open" : ""}`}
              aria-label={words.showChildren(ref)}
              aria-expanded={isOpen}
              onPress={() => setOpen(!isOpen)}
            >
              <ChevronRight />
            </Button>
          )
          : <span className="twist" />}
        <LinkedTicket project={project} ticket={child} />
        {total > 0 && <small title={plan.childrenDone(total - open, total)}>{total - open}/{total}</small>}
        {assignee && (
          <span title={plan.assignedTo(assignee.name)}>
            <Avatar name={assignee.name} isAgent={assignee.kind === "bot"} />
            <span className="hidden">{plan.assignedTo(assignee.name)}</span>
          </span>
        )}
        {mayWrite && <Remove label={words.removeChild(ref)} run={() => void undoable(remove())} />}
      </div>
      {isOpen && total > 0 && <Branch project={project} parent={child} mayWrite={mayWrite} />}
    </li>
  );
}
