import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { sentenceOf } from "../api/client.ts";
import { part } from "../api/load.ts";
import type { Project, Ticket } from "../api/types.ts";
import { useTitle } from "../app/title.tsx";
import { ticketQuery } from "../data/tickets.ts";
import { Ghosts } from "../ui/ghosts.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { TextsOf } from "../ui/texts_of.ts";
import { ticket as words } from "../words/ticket.ts";
import { Editable } from "./editable.tsx";
import { Facts } from "./facts.tsx";
import { Gate } from "./gate.tsx";
import { useSave } from "./use_save.ts";
import { useTicketCommands } from "./use_ticket_commands.ts";

// Loaded when their tab is opened.
const PANELS = {
  conversation: part(async () => (await import("./conversation.tsx")).Conversation),
  tasks: part(async () => (await import("./tasks.tsx")).Tasks),
  cases: part(async () => (await import("./cases.tsx")).Cases),
  linked: part(async () => (await import("./linked.tsx")).Linked),
  links: part(async () => (await import("./links.tsx")).Links),
  history: part(async () => (await import("./history.tsx")).History),
};

const Standing = part(async () => (await import("./standing.tsx")).Standing);

/** A ticket with all of its parts. The panel and the page both show this. */
export function TicketView({ project, ticketRef }: { project: Project; ticketRef: string }) {
  const { data, error } = useQuery(ticketQuery({ id: project.id, ticketId: ticketRef }));
  useTitle(data ? `${data.ticket_ref} ${data.title}` : ticketRef);
  if (error && !data) return <p role="alert" className="refusal ticket-refusal">{sentenceOf(error)}</p>;
  if (!data) {
    return (
      <div className="ticket">
        <Ghosts rows={1} />
        <Ghosts rows={2} tall />
      </div>
    );
  }
  return <Loaded key={data.id} project={project} ticket={data} />;
}

type TabId = keyof typeof PANELS;

function Loaded({ project, ticket }: { project: Project; ticket: Ticket }) {
  const mayWrite = project.my_role !== "viewer";
  const save = useSave(project, ticket);
  useTicketCommands(project, ticket, mayWrite);
  const [tab, setTab] = useState<TabId>(
    ticket.tasks.total > 0 && ticket.pending_questions === 0 ? "tasks" : "conversation",
  );
  const text = { ticket, save, mayWrite };
  const shared = { project, ticket, mayWrite };
  const tabs = {
    conversation: tabOf("conversation", ticket.pending_questions > 0 && ticket.pending_questions),
    tasks: tabOf("tasks", ticket.tasks.total > 0 && `${ticket.tasks.done}/${ticket.tasks.total}`),
    cases: tabOf("cases", ticket.cases.total > 0 && `${ticket.cases.approved}/${ticket.cases.total}`),
    linked: tabOf(
      "linked",
      ticket.children.total > 0 && `${ticket.children.total - ticket.children.open}/${ticket.children.total}`,
    ),
    links: tabOf("links"),
    history: tabOf("history"),
  };
  const Panel = PANELS[tab];
  return (
    <TextsOf value={{ id: project.id, ticketId: ticket.id }}>
      <div className="ticket">
        <Editable {...text} field="title" minLength={5} maxLength={140} />
        {(ticket.open_blockers > 0 || ticket.resolution_type === "duplicate") && (
          <Suspense>
            <Standing project={project} ticket={ticket} />
          </Suspense>
        )}
        <Facts {...shared} />
        <Gate {...shared} show={setTab} />
        <div className="texts">
          <Editable {...text} field="description" minLength={10} maxLength={5000} />
          {ticket.status === "closed" && <Editable {...text} field="resolution_note" maxLength={5000} />}
          <Editable {...text} field="suggested_resolution" maxLength={2000} />
          <Editable {...text} field="implementation_notes" maxLength={5000} />
          {ticket.evidence && (
            <details>
              <summary>{words.evidence}</summary>
              <pre className="evidence" tabIndex={0}>{JSON.stringify(ticket.evidence, null, 2)}</pre>
            </details>
          )}
        </div>
        <Tabs label={words.of(ticket.ticket_ref)} tabs={tabs} selected={tab} select={setTab}>
          <Suspense key={tab} fallback={<Ghosts rows={3} />}>
            <Panel {...shared} />
          </Suspense>
        </Tabs>
      </div>
    </TextsOf>
  );
}

function tabOf(id: TabId, count: number | string | false = false) {
  return <>{words.tabs[id]} {count !== false && <span className="count">{count}</span>}</>;
}
