import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { Button, Popover } from "react-aria-components";
import { fieldErrorsOf, sentenceOf } from "../api/client.ts";
import type { Ticket } from "../api/types.ts";
import type { Conflict, TicketFields } from "../data/tickets.ts";
import { addDays, dayOf } from "../ui/days.ts";
import type { Opened } from "../ui/menu.tsx";
import { app } from "../words/app.ts";
import { pickers } from "../words/pickers.ts";
import { plan as words } from "../words/plan.ts";
import { ticket as ticketWords } from "../words/ticket.ts";
import { DayField } from "./day_field.tsx";

type Planned = Pick<Ticket, "due_on" | "start_on" | "estimate">;

interface Props extends Opened {
  label: string;
  /** Returns the fields as they are typed, or null if they can't be sent. */
  read: () => Partial<Planned> | null;
  /** Saves them, and returns what stood against it. */
  save: (fields: TicketFields, base?: Ticket) => Promise<Conflict | null>;
  /** The ticket as the person saw it when the form was opened. */
  base: Ticket | undefined;
  clear: TicketFields | null;
  /** Says how somebody else has set the fields. */
  tell: (theirs: Ticket) => string;
  children: ReactNode;
}

/** A small form below a fact. After a refusal or a conflict the typed values stay. */
function FactForm({ label, read, save, base, clear, tell, trigger, close, children }: Props) {
  const [state, setState] = useState<{ error?: unknown; theirs?: Ticket; isSaving?: boolean }>({});
  const [begun] = useState(base);
  const send = async (fields: TicketFields | null, from = begun) => {
    if (!fields) return;
    setState({ isSaving: true });
    try {
      const conflict = await save(fields, from);
      if (conflict) setState({ theirs: conflict.current });
      else close();
    } catch (error) {
      setState({ error });
    }
  };
  const refusals = Object.values(fieldErrorsOf(state.error));
  return (
    <Popover
      className="popover fact-form"
      aria-label={label}
      placement="bottom start"
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => !isOpen && close()}
    >
      <form noValidate onSubmit={(event: FormEvent) => (event.preventDefault(), void send(read()))}>
        {children}
        {state.theirs && (
          <div className="conflict" role="alert">
            <p>{ticketWords.conflict}</p>
            <p>{ticketWords.theirs}: {tell(state.theirs)}</p>
            <div className="row">
              <Button className="button" onPress={() => void send(read(), state.theirs)}>
                {ticketWords.keepMine}
              </Button>
              <Button className="button" onPress={close}>{ticketWords.takeTheirs}</Button>
            </div>
          </div>
        )}
        {state.error !== undefined && (
          <p role="alert" className="refusal">{refusals.join(" ") || sentenceOf(state.error)}</p>
        )}
        {!state.theirs && (
          <div className="row">
            <Button type="submit" className="button primary" isPending={state.isSaving ?? false}>
              {app.save}
            </Button>
            {clear && (
              <Button className="button quiet" onPress={() => void send(clear)}>{pickers.clear}</Button>
            )}
          </div>
        )}
      </form>
    </Popover>
  );
}

interface DaysProps extends Opened, Pick<Props, "save" | "base"> {
  today: string;
  value: Pick<Ticket, "due_on" | "start_on">;
}

/** Sets the days on which a ticket begins and is due. */
export function DaysForm({ today, value, ...props }: DaysProps) {
  const [due, setDue] = useState(value.due_on ?? "");
  const [start, setStart] = useState(value.start_on ?? "");
  const [problem, setProblem] = useState<string | null>(null);
  const fields = useRef<HTMLDivElement>(null);
  const read = () => {
    // A half-typed day has no value, and would take the day away.
    const isHalf = [...fields.current!.querySelectorAll("input")].some(({ validity }) => validity.badInput);
    setProblem(isHalf ? pickers.noDay : null);
    return isHalf ? null : { due_on: due || null, start_on: start || null };
  };
  return (
    <FactForm
      {...props}
      label={pickers.days}
      read={read}
      clear={value.due_on || value.start_on ? { due_on: null, start_on: null } : null}
      tell={({ due_on, start_on }) => daysText({ due_on, start_on }, today)}
    >
      <div ref={fields} className="fact-fields">
        <DayField label={words.due} value={due} change={setDue} isFirst />
        <DayField label={words.start} value={start} change={setStart} />
      </div>
      <div className="row">
        {([[pickers.today, 0], [pickers.tomorrow, 1], [pickers.inWeek, 7]] as const).map(([name, days]) => (
          <Button
            key={name}
            className="button"
            onPress={() => setDue(addDays(today, days))}
          >
            {name}
          </Button>
        ))}
      </div>
      {problem && <p role="alert" className="refusal">{problem}</p>}
    </FactForm>
  );
}

/** The days of a ticket in words. */
export function daysText({ due_on, start_on }: Pick<Ticket, "due_on" | "start_on">, today: string): string {
  const [due, start] = [due_on && dayOf(due_on, today), start_on && dayOf(start_on, today)];
  if (due && start) return words.span(start, due);
  return due || (start ? words.from(start) : words.none);
}

interface EstimateProps extends Opened, Pick<Props, "save" | "base"> {
  value: number | null;
}

const ESTIMATE = /^\d{1,5}(?:[.,]\d{1,2})?$/;
const MOST = 10_000;

/** Sets the estimate of a ticket, in points or hours. */
export function EstimateForm({ value, ...props }: EstimateProps) {
  const [text, setText] = useState(value === null ? "" : String(value));
  const [problem, setProblem] = useState<string | null>(null);
  const read = () => {
    const typed = text.trim();
    if (typed === "") return { estimate: null };
    const estimate = Number(typed.replace(",", "."));
    const isGood = ESTIMATE.test(typed) && estimate <= MOST;
    setProblem(isGood ? null : pickers.noEstimate);
    return isGood ? { estimate } : null;
  };
  return (
    <FactForm
      {...props}
      label={words.estimate}
      read={read}
      clear={value === null ? null : { estimate: null }}
      tell={({ estimate }) => estimate === null ? words.none : String(estimate)}
    >
      <label>
        {words.estimate}
        <input
          className="react-aria-Input"
          inputMode="decimal"
          autoComplete="off"
          autoFocus
          value={text}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <small>{pickers.estimateHint}</small>
      </label>
      {problem && <p role="alert" className="refusal">{problem}</p>}
    </FactForm>
  );
}
