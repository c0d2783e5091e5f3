import { draggable } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode, useEffect, useRef } from "react";
import type { TicketSummary } from "../api/types.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Check, Flask, Move, PriorityIcon, Tasks, TypeIcon, Warn } from "../ui/icons.tsx";
import { board } from "../words/board.ts";
import { PRIORITIES, SHIP, TYPES } from "../words/enums.ts";
import { AssigneeMark, BlockedMark, LabelMarks, PlanMarks } from "./plan_marks.tsx";
import { RoleTag } from "./role_tag.tsx";
import { WaitingFacts } from "./waiting_facts.tsx";

interface Props {
  ticket: TicketSummary;
  isSelected: boolean;
  isOpen: boolean;
  isFirst: boolean;
  /** The person may not move tickets. */
  isFixed: boolean;
  /** The day in the project's time zone. */
  today: string;
}

/**
 * One ticket of the board. It is plain markup without listeners, because a board has hundreds of
 * cards. The board itself listens for clicks and keys.
 */
export const Card = memo(function Card({ ticket, isSelected, isOpen, isFirst, isFixed, today }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFixed) return;
    return draggable({ element: ref.current!, getInitialData: () => ({ ticket: ticket.id }) });
  }, [ticket.id, isFixed]);
  const { id, ticket_ref, title, request_type, blocking, claimed_by: claim } = ticket;
  return (
    <div
      ref={ref}
      role="listitem"
      className={`card${isSelected ? " selected" : ""}${isOpen ? " open" : ""}`}
      data-card={id}
    >
      <div className="card-top">
        <TypeIcon type={request_type} />
        <span className="ref">{ticket_ref}</span>
        {blocking && (
          <span className="blocking">
            <Warn />
            {board.blockingMark}
          </span>
        )}
        <BlockedMark ticket={ticket} />
        {isSelected && (
          <span className="tick">
            <Check />
            <span className="hidden">{board.selected}</span>
          </span>
        )}
        <span className="space" />
        {claim && (
          <span className="claim" title={board.at(claim.name, claim.kind === "agent")}>
            <Avatar name={claim.name} isAgent={claim.kind === "agent"} />
            <span className="hidden">{board.at(claim.name, claim.kind === "agent")}</span>
          </span>
        )}
        <button type="button" className="move" aria-label={board.move(ticket_ref)} data-move tabIndex={-1}>
          <Move />
        </button>
      </div>
      <Link
        className="card-title"
        to="."
        search={(old: object) => ({ ...old, ticket: ticket_ref })}
        tabIndex={isFirst ? 0 : -1}
        draggable={false}
        dir="auto"
      >
        {title}
      </Link>
      <LabelMarks ticket={ticket} />
      <Foot ticket={ticket} today={today} />
    </div>
  );
});

function Foot({ ticket, today }: Pick<Props, "ticket" | "today">) {
  const { request_type, priority, roles, ship, tasks, cases } = ticket;
  return (
    <div className="card-foot">
      <span title={board.priorityAndType(PRIORITIES[priority], TYPES[request_type])}>
        <PriorityIcon priority={priority} />
        <span className="hidden">{board.priorityAndType(PRIORITIES[priority], TYPES[request_type])}</span>
      </span>
      <PlanMarks ticket={ticket} today={today} />
      {roles.map(({ role, status }) => <RoleTag key={role} role={role} status={status} />)}
      {ship !== "none" && <span className={`tag ${ship}`}>{SHIP[ship]}</span>}
      <span className="space" />
      <WaitingFacts ticket={ticket} />
      {tasks.total > 0 && (
        <Fact is={tasks.done === tasks.total} text={board.tasksDone(tasks.done, tasks.total)}>
          <Tasks />
          {tasks.done}/{tasks.total}
        </Fact>
      )}
      {cases.total > 0 && (
        <Fact is={cases.approved === cases.total} text={board.casesApproved(cases.approved, cases.total)}>
          <Flask />
          {cases.approved}/{cases.total}
        </Fact>
      )}
      <AssigneeMark ticket={ticket} />
    </div>
  );
}

function Fact({ is, text, children }: { is: boolean; text: string; children: ReactNode }) {
  return (
    <span className={`fact${is ? " whole" : ""}`} title={text}>
      <span aria-hidden="true" className="fact-shown">{children}</span>
      <span className="hidden">{text}</span>
    </span>
  );
}
