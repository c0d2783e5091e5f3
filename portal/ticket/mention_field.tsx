import {
  type ComponentProps,
  type KeyboardEvent,
  Suspense,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { part } from "../api/load.ts";
import type { Person } from "../api/types.ts";
import { isComposing } from "../app/keys.ts";
import { usePeople } from "../app/people.ts";
import { conversation as words } from "../words/ticket.ts";
import {
  begunMention,
  findTyped,
  keepMentions,
  type Mention,
  readMentions,
  writeMentions,
} from "./mentions.ts";

// Loaded when somebody is about to be mentioned.
const MentionList = part(async () => (await import("./mention_list.tsx")).MentionList);

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
        <Suspense>
          <MentionList
            id={list}
            people={offered}
            hasMore={hasMore}
            active={active}
            choose={choose}
            field={field}
            at={begun!.at}
          />
        </Suspense>
      )}
      <p role="status" className="hidden">{offered.length > 0 ? words.offered(offered.length) : ""}</p>
    </div>
  );
}

/** People whom the text may mention: a name with a bracket would break the mention. */
function useOffered(project: string, begun: string | null) {
  const { people, hasMore } = usePeople(project, begun);
  return { offered: people.filter(({ name }) => !/[\]\n]/.test(name)), hasMore };
}
