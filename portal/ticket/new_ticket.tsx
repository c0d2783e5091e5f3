import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useState } from "react";
import {
  Button,
  Checkbox,
  Form,
  Label,
  Radio,
  RadioGroup,
  ToggleButton,
  ToggleButtonGroup,
} from "react-aria-components";
import { fieldErrorsOf, sentenceOf } from "../api/client.ts";
import type { Priority, Project, RequestType, Role } from "../api/types.ts";
import { useDraft } from "../app/drafts.ts";
import { isComposing } from "../app/keys.ts";
import { sayDone } from "../app/toasts.tsx";
import { createTicket, similarQuery } from "../data/tickets.ts";
import { Sheet } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { PriorityIcon, StageIcon, TypeIcon } from "../ui/icons.tsx";
import { app } from "../words/app.ts";
import { PRIORITIES, ROLES, STAGES, TYPES } from "../words/enums.ts";
import { links, newTicket as words } from "../words/ticket.ts";
import { fieldsOf, type NewPlan, NO_PLAN, PlanOptions } from "./new_plan.tsx";

interface Draft {
  title: string;
  description: string;
  request_type: RequestType;
  priority: Priority;
  blocking: boolean;
  roles: Role[];
  plan: NewPlan;
  /** Because of the key, a form that is sent twice creates one ticket. */
  key: string;
}

const begin = (): Draft => ({
  title: "",
  description: "",
  request_type: "bug",
  priority: "medium",
  blocking: false,
  roles: [],
  plan: NO_PLAN,
  key: crypto.getRandomValues(new Uint32Array(4)).join("-"),
});

/**
 * The dialog of a new ticket. The typed text is kept until the ticket is created, no matter how the
 * dialog was closed.
 */
export default function NewTicket({ project }: { project: Project }) {
  const navigate = useNavigate();
  const leave = (ticket?: string) =>
    void navigate({
      to: ".",
      search: (old: object) => ({ ...old, create: undefined, ...(ticket && { ticket }) }),
    });
  return (
    <Sheet title={words.title} size="wide" isDismissable={false} close={() => leave()}>
      <NewTicketForm project={project} leave={leave} />
    </Sheet>
  );
}

function NewTicketForm({ project, leave }: { project: Project; leave: (ticket?: string) => void }) {
  const [kept, setDraft] = useDraft<Draft>(`new.${project.id}`);
  const [first] = useState(begin);
  // A draft that was begun before a field was there has none.
  const draft = { ...first, ...kept };
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const create = useMutation({
    mutationFn: () => {
      const { key, plan, ...fields } = draft;
      return createTicket({ id: project.id, ...fields, ...fieldsOf(plan), idempotency_key: key });
    },
    onSuccess: ({ ticket }) => {
      setDraft(null);
      sayDone(words.created(ticket.ticket_ref));
      leave(ticket.ticket_ref);
    },
  });
  return (
    <Form
      className="create"
      validationErrors={fieldErrorsOf(create.error)}
      onSubmit={(event) => (event.preventDefault(), create.mutate())}
    >
      {create.error && <p role="alert" className="refusal">{sentenceOf(create.error)}</p>}
      <div className="create-body" onKeyDown={sendByKey}>
        <div className="create-main">
          <Field
            name="title"
            label={words.titleLabel}
            placeholder={words.titlePlaceholder}
            value={draft.title}
            onChange={(title) => change({ title })}
            isRequired
            minLength={5}
            maxLength={140}
            autoFocus
          />
          <Field
            name="description"
            label={words.description}
            placeholder={words.descriptionPlaceholder}
            rows={8}
            value={draft.description}
            onChange={(description) => change({ description })}
            isRequired
            minLength={10}
            maxLength={5000}
          />
          <Options draft={draft} change={change} />
          <PlanOptions
            project={project}
            value={draft.plan}
            change={(part) => change({ plan: { ...draft.plan, ...part } })}
          />
        </div>
        <Similar project={project} title={draft.title} description={draft.description} open={leave} />
      </div>
      <footer className="actions">
        <small>{words.kept}</small>
        {kept && (
          <Button className="button quiet" onPress={() => (setDraft(null), leave())}>{words.discard}</Button>
        )}
        <Button className="button" onPress={() => leave()}>{app.cancel}</Button>
        <Button type="submit" className="button primary" isPending={create.isPending}>{words.create}</Button>
      </footer>
    </Form>
  );
}

function sendByKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isComposing(event)) return;
  event.preventDefault();
  event.currentTarget.closest("form")!.requestSubmit();
}

function Options({ draft, change }: { draft: Draft; change: (part: Partial<Draft>) => void }) {
  return (
    <>
      <RadioGroup
        className="options"
        orientation="horizontal"
        value={draft.request_type}
        onChange={(type) => change({ request_type: type as RequestType })}
      >
        <Label>{words.type}</Label>
        <div>
          {(Object.keys(TYPES) as RequestType[]).map((type) => (
            <Radio key={type} value={type} className="option">
              <TypeIcon type={type} />
              {TYPES[type]}
            </Radio>
          ))}
        </div>
      </RadioGroup>
      <RadioGroup
        className="options"
        orientation="horizontal"
        value={draft.priority}
        onChange={(priority) => change({ priority: priority as Priority })}
      >
        <Label>{words.priority}</Label>
        <div>
          {(Object.keys(PRIORITIES) as Priority[]).map((priority) => (
            <Radio key={priority} value={priority} className="option">
              <PriorityIcon priority={priority} />
              {PRIORITIES[priority]}
            </Radio>
          ))}
        </div>
      </RadioGroup>
      <div className="options">
        <span className="label" id="new-roles">{words.roles}</span>
        <ToggleButtonGroup
          aria-labelledby="new-roles"
          selectionMode="multiple"
          selectedKeys={draft.roles}
          onSelectionChange={(keys) => change({ roles: [...keys] as Role[] })}
        >
          {(Object.keys(ROLES) as Role[]).map((role) => (
            <ToggleButton key={role} id={role} className="option">{ROLES[role]}</ToggleButton>
          ))}
        </ToggleButtonGroup>
      </div>
      <Checkbox className="check" isSelected={draft.blocking} onChange={(blocking) => change({ blocking })}>
        <span className="box" />
        {words.blocking}
      </Checkbox>
    </>
  );
}

/** Milliseconds after the last key until the hint is asked for. */
const PAUSE_MS = 350;

interface SimilarProps {
  project: Project;
  title: string;
  description: string;
  open: (ref: string) => void;
}

/** Shows similar open tickets while the person types. */
function Similar({ project, title, description, open }: SimilarProps) {
  const [asked, setAsked] = useState<{ title: string; description: string } | null>(null);
  useEffect(() => {
    const later = setTimeout(() => setAsked(questionOf(title.trim(), description.trim())), PAUSE_MS);
    return () => clearTimeout(later);
  }, [title, description]);
  const { data, isFetching, error } = useQuery({
    ...similarQuery(project.id, asked ?? { title: "", description: "" }),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
  });
  const found = asked ? data?.similar_existing ?? [] : [];
  const hint = !asked
    ? words.similarSoon
    : error
    ? words.similarOff
    : found.length > 0
    ? words.similarFound(found.length)
    : isFetching
    ? words.looking
    : words.noSimilar;
  return (
    <aside className="similar" aria-labelledby="similar" aria-busy={isFetching}>
      <h3 id="similar">{words.similar}</h3>
      <p role="status" className="hint">{hint}</p>
      <ul>
        {found.map(({ ticket_ref: ref, title, similarity, stage }) => (
          <li key={ref}>
            <Button className="similar-item" onPress={() => open(ref)}>
              <span className="row">
                <StageIcon stage={stage} />
                <span className="ref">{ref}</span>
                <small>{STAGES[stage]}</small>
                <span className="space" />
                <b className="meter">{links.percent(similarity)}</b>
              </span>
              <span dir="auto">{title}</span>
            </Button>
          </li>
        ))}
      </ul>
    </aside>
  );
}

/**
 * If there is only a title, it is also used as the description, so that the hint appears before the
 * description is written.
 */
function questionOf(title: string, description: string) {
  if (title.length < 12) return null;
  return { title, description: description.length >= 10 ? description : title };
}
