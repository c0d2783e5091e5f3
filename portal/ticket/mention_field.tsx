import {
  type ComponentProps,
  type KeyboardEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Person } from "../api/types.ts";
import { isComposing } from "../app/keys.ts";
import { usePeople } from "../app/people.ts";
import { Avatar } from "../ui/avatar.tsx";
import { people as peopleWords } from "../words/app.ts";
import { conversation as words } from "../words/ticket.ts";
import { placeOf } from "./caret.ts";
import {
  begunMention,
  findTyped,
  keepMentions,
  type Mention,
  readMentions,
  writeMentions,
} from "./mentions.ts";

interface Props extends Omit<ComponentProps<"textarea">, "value" | "onChange"> {
  project: { id: string };
  /** Gets the text with the ids of the mentioned people. */
  value: string;
  onChange: (value: string) => void;
}

/** A text in which @ and the beginning of a name offer the people of the project. */
export function MentionField({ project, value, onChange, onKeyDown, ...props }: Props) {
  const text = readMentions(value);
  const { shown } = text;
  /** Everybody whom the text has mentioned since it was opened. */
  const known = useRef<Mention[]>([]);
  useEffect(() => {
    known.current.push(...text.mentions);
  }, [value]);
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(-1);
  /** The position of the caret after the chosen name was inserted. */
  const wanted = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (wanted.current !== null) field.current!.setSelectionRange(wanted.current, wanted.current);
    wanted.current = null;
  }, [value]);
  /** The position of an @ whose list of people was closed or used. */
  const [left, setLeft] = useState(-1);
  const [active, setActive] = useState(0);
  const begun = caret < 0 ? null : begunMention(shown, caret);
  const { offered, hasMore } = useOffered(project.id, begun && begun.at !== left ? begun.begun : null);
  const list = useId();
  const choose = ({ id, name }: Person) => {
    const next = `${shown.slice(0, begun!.at)}@${name} ${shown.slice(caret)}`;
    const kept = keepMentions(text, next, begun!.at + name.length + 2);
    onChange(writeMentions({ shown: next, mentions: [...kept, { at: begun!.at, name, id }] }));
    setLeft(begun!.at);
    wanted.current = begun!.at + name.length + 2;
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const act = offered.length > 0 && !isComposing(event) && {
      ArrowDown: () => setActive((active + 1) % offered.length),
      ArrowUp: () => setActive((active + offered.length - 1) % offered.length),
      Enter: () => choose(offered[active]!),
      Tab: () => choose(offered[active]!),
      Escape: () => setLeft(begun!.at),
    }[event.ctrlKey || event.metaKey || event.shiftKey ? "" : event.key];
    if (!act) return onKeyDown?.(event);
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <div className="mention-field">
      <textarea
        {...props}
        ref={field}
        value={shown}
        aria-autocomplete="list"
        aria-controls={offered.length > 0 ? list : undefined}
        aria-activedescendant={offered.length > 0 ? `${list}-${active}` : undefined}
        onChange={({ currentTarget }) => {
          setActive(0);
          setCaret(currentTarget.selectionStart);
          if (!begunMention(currentTarget.value, currentTarget.selectionStart)) setLeft(-1);
          const [next, caret] = [currentTarget.value, currentTarget.selectionStart];
          const mentions = findTyped(next, keepMentions(text, next, caret), known.current);
          onChange(writeMentions({ shown: next, mentions }));
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
        onBlur={() => setCaret(-1)}
        onKeyDown={press}
      />
      {offered.length > 0 && (
        <div
          className="popover mention-list"
          ref={(element) => putBeside(element, field.current, begun!.at)}
        >
          <ul role="listbox" id={list} aria-label={words.people} className="menu">
            {offered.map((person, at) => (
              <li
                key={person.id}
                id={`${list}-${at}`}
                role="option"
                aria-selected={at === active}
                className="item"
                data-focused={at === active || undefined}
                // The text field keeps the focus.
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => choose(person)}
              >
                <Avatar name={person.name} />
                <span className="clip" dir="auto">{person.name}</span>
                {person.email && <small className="clip">{person.email}</small>}
              </li>
            ))}
          </ul>
          {hasMore && <p className="hint">{peopleWords.more}</p>}
        </div>
      )}
      <p role="status" className="hidden">{offered.length > 0 ? words.offered(offered.length) : ""}</p>
    </div>
  );
}

/** The pixels between a list of people and the line or the edge of the window. */
const GAP = 4;

/** Puts the list below the @, or above it if there is no room below. */
function putBeside(list: HTMLElement | null, field: HTMLTextAreaElement | null, at: number): void {
  if (!list || !field) return;
  const place = placeOf(field, at);
  const corner = list.offsetParent!.getBoundingClientRect();
  const below = place.top + place.height + GAP;
  const top = below + list.offsetHeight <= innerHeight ? below : place.top - list.offsetHeight - GAP;
  const left = Math.max(GAP, Math.min(place.left, innerWidth - list.offsetWidth - GAP));
  list.style.top = `${Math.max(GAP, top) - corner.top}px`;
  list.style.left = `${left - corner.left}px`;
}

/** People whom the text may mention: a name with a bracket would break the mention. */
function useOffered(project: string, begun: string | null) {
  const { people, hasMore } = usePeople(project, begun);
  return { offered: people.filter(({ name }) => !/[\]\n]/.test(name)), hasMore };
}
