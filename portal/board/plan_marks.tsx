import type { TicketSummary } from "../api/types.ts";
import { Avatar } from "../ui/avatar.tsx";
import { dayOf, urgencyOf } from "../ui/days.ts";
import { Calendar, Children, Estimate, Stop, Warn } from "../ui/icons.tsx";
import { LabelTag } from "../ui/label_tag.tsx";
import { plan as words } from "../words/plan.ts";

// The plan of a ticket on its card and in its row. It is markup without listeners, because a board
// has hundreds of cards.

/** The most labels of a card. The others are counted. */
const MOST_LABELS = 3;

interface Props {
  ticket: TicketSummary;
}

export function LabelMarks({ ticket: { labels } }: Props) {
  if (labels.length === 0) return null;
  const more = labels.slice(MOST_LABELS).map(({ name }) => name).join(", ");
  return (
    <span className="labels" title={words.labelled(labels.map(({ name }) => name).join(", "))}>
      {labels.slice(0, MOST_LABELS).map((label) => <LabelTag key={label.id} label={label} />)}
      {more !== "" && (
        <span className="fact">
          <span aria-hidden="true">+{labels.length - MOST_LABELS}</span>
          <span className="hidden">{words.moreLabels(more)}</span>
        </span>
      )}
    </span>
  );
}

/** Says that a ticket waits for others. The list of tickets names none of them. */
export function BlockedMark(
  { ticket: { open_blockers: count, status } }: { ticket: Pick<TicketSummary, "open_blockers" | "status"> },
) {
  if (count === 0 || status === "closed") return null;
  return (
    <span className="blocking" title={words.waitsFor(count)}>
      <Stop />
      <span aria-hidden="true">{words.blocked}</span>
      <span className="hidden">{words.waitsFor(count)}</span>
    </span>
  );
}

/** Today is the day in the project's time zone. */
export function PlanMarks({ ticket, today }: Props & { today: string }) {
  return (
    <>
      <DueMark due={ticket.due_on} today={today} isOpen={ticket.status === "open"} />
      <EstimateMark ticket={ticket} />
      <ChildrenMark ticket={ticket} />
    </>
  );
}

export function EstimateMark({ ticket: { estimate } }: Props) {
  if (estimate === null) return null;
  return (
    <span className="fact" title={words.estimated(estimate)}>
      <span aria-hidden="true" className="fact-shown">
        <Estimate />
        {estimate}
      </span>
      <span className="hidden">{words.estimated(estimate)}</span>
    </span>
  );
}

export function ChildrenMark({ ticket: { children: { open, total } } }: Props) {
  if (total === 0) return null;
  return (
    <span className={`fact${open === 0 ? " whole" : ""}`} title={words.childrenDone(total - open, total)}>
      <span aria-hidden="true" className="fact-shown">
        <Children />
        {total - open}/{total}
      </span>
      <span className="hidden">{words.childrenDone(total - open, total)}</span>
    </span>
  );
}

/** The due date, which isn't late any more when the ticket is closed. */
export function DueMark(
  { due, today, isOpen = true }: { due: string | null; today: string; isOpen?: boolean },
) {
  if (due === null) return null;
  const urgency = isOpen ? urgencyOf(due, today) : "later";
  const day = dayOf(due, today);
  const text = urgency === "late" ? words.late(day) : words.dueOn(day);
  return (
    <span className={`fact due ${urgency}`} title={text}>
      <span aria-hidden="true" className="fact-shown">
        {urgency === "late" ? <Warn /> : <Calendar />}
        {day}
      </span>
      <span className="hidden">{text}</span>
    </span>
  );
}

export function AssigneeMark({ ticket: { assignee } }: Props) {
  if (!assignee) return null;
  return (
    <span className="claim" title={words.assignedTo(assignee.name)}>
      <Avatar name={assignee.name} isAgent={assignee.kind === "bot"} />
      <span className="hidden">{words.assignedTo(assignee.name)}</span>
    </span>
  );
}
