import type { RefObject } from "react";
import type { Person } from "../api/types.ts";
import { Avatar } from "../ui/avatar.tsx";
import { people as peopleWords } from "../words/app.ts";
import { conversation as words } from "../words/ticket.ts";
import { placeOf } from "./caret.ts";

interface Props {
  id: string;
  people: readonly Person[];
  hasMore: boolean;
  /** The position of the person whom the keys are at. */
  active: number;
  choose: (person: Person) => void;
  field: RefObject<HTMLTextAreaElement | null>;
  /** The position of the @ in the text. */
  at: number;
}

/** The people who are offered beside an @. */
export function MentionList({ id, people, hasMore, active, choose, field, at: mention }: Props) {
  return (
    <div className="popover mention-list" ref={(element) => putBeside(element, field.current, mention)}>
      <ul role="listbox" id={id} aria-label={words.people} className="menu">
        {people.map((person, at) => (
          <li
            key={person.id}
            id={`${id}-${at}`}
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
