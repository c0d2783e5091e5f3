import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { sentenceOf, trpc } from "../api/client.ts";
import type { Project, Ticket } from "../api/types.ts";
import { ticket as words } from "../words/ticket.ts";
import { Cases } from "./cases.tsx";
import { Conversation } from "./conversation.tsx";
import { Editable } from "./editable.tsx";
import { Facts } from "./facts.tsx";
import { Gate } from "./gate.tsx";
import { Tasks } from "./tasks.tsx";
import { useSave } from "./use_save.ts";
import { useTicketCommands } from "./use_ticket_commands.ts";

// Loaded when their tab is opened.
const History = lazy(async () => ({ default: (await import("./history.tsx")).History }));
const Links = lazy(async () => ({ default: (await import("./links.tsx")).Links }));

/** A ticket with all of its parts. The panel and the page both show this. */
export function TicketView({ project, ticketRef }: { project: Project; ticketRef: string }) {
  const { data, error } = useQuery(trpc.tickets.get.queryOptions({ id: project.id, ticketId: ticketRef }));
  if (error && !data) return <p role="alert" className="refusal ticket-refusal">{sentenceOf(error)}</p>;
  if (!data) {
    return (
      <div className="ticket" aria-busy="true">
        <div className="card ghost" />
      </div>
    );
  }
  return <Loaded key={data.id} project={project} ticket={data} />;
}

type TabId = keyof typeof words.tabs;

function Loaded({ project, ticket }: { project: Project; ticket: Ticket }) {
  const mayWrite = project.my_role !== "viewer";
  const save = useSave(project, ticket);
  useTicketCommands(project, ticket, mayWrite);
  const [tab, setTab] = useState<TabId>(
    ticket.tasks.total > 0 && ticket.pending_questions === 0 ? "tasks" : "conversation",
  );
  const text = { ticket, save, mayWrite };
  const shared = { project, ticket, mayWrite };
  const counts: Partial<Record<TabId, string>> = {
    tasks: ticket.tasks.total > 0 ? `${ticket.tasks.done}/${ticket.tasks.total}` : "",
    cases: ticket.cases.total > 0 ? `${ticket.cases.approved}/${ticket.cases.total}` : "",
    conversation: ticket.pending_questions > 0 ? String(ticket.pending_questions) : "",
  };
  return (
    <div className="ticket">
      <Editable {...text} field="title" maxLength={140} />
      <Facts {...shared} />
      <Gate {...shared} show={setTab} />
      <div className="texts">
        <Editable {...text} field="description" maxLength={5000} />
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
      <Tabs className="tabs" selectedKey={tab} onSelectionChange={(next) => setTab(next as TabId)}>
        <TabList aria-label={words.of(ticket.ticket_ref)}>
          {(Object.keys(words.tabs) as TabId[]).map((id) => (
            <Tab key={id} id={id}>
              {words.tabs[id]} {counts[id] && <span className="count">{counts[id]}</span>}
            </Tab>
          ))}
        </TabList>
        <TabPanel id="conversation">
          <Conversation {...shared} />
        </TabPanel>
        <TabPanel id="tasks">
          <Tasks {...shared} />
        </TabPanel>
        <TabPanel id="cases">
          <Cases {...shared} />
        </TabPanel>
        <TabPanel id="links">
          <Suspense>
            <Links {...shared} />
          </Suspense>
        </TabPanel>
        <TabPanel id="history">
          <Suspense>
            <History project={project} ticket={ticket} />
          </Suspense>
        </TabPanel>
      </Tabs>
    </div>
  );
}
