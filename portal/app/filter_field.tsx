import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { Button } from "react-aria-components";
import type { Project } from "../api/types.ts";
import { Close, Search } from "../ui/icons.tsx";
import { filters as words } from "../words/filters.ts";
import { begunAt } from "./filter_text.ts";
import { isComposing, useKeys } from "./keys.ts";
import { type Offer, useOffers } from "./filter_offers.ts";

interface Props {
  /** The project whose labels, milestones and people are offered. */
  project?: Project | undefined;
  label: string;
  placeholder: string;
  text: string;
  type: (text: string) => void;
  className?: string;
  autoFocus?: boolean;
}

/** The text of a filter. While a person writes it, keys and their values are offered. */
export function FilterField({ project, label, placeholder, text, type, className = "", autoFocus }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => field.current?.focus() });
  const [caret, setCaret] = useState(-1);
  /** The position of the caret after what was chosen has been inserted. */
  const wanted = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (wanted.current !== null) field.current!.setSelectionRange(wanted.current, wanted.current);
    wanted.current = null;
  }, [text]);
  /** The text whose offers were closed. */
  const [left, setLeft] = useState<string | null>(null);
  const [chosen, setActive] = useState<number | null>(null);
  const begun = caret < 0 || left === text ? null : begunAt(text, caret);
  const offers = useOffers(project, begun);
  // A word that only begins as a key does is left alone by Enter and Tab.
  const active = chosen ?? (begun?.key ? 0 : -1);
  const list = useId();
  const choose = ({ value }: Offer) => {
    const { start, end, key } = begun!;
    const rest = text.slice(end);
    const inserted = key === null ? `${value}:` : rest === "" ? `${value} ` : value;
    const next = text.slice(0, start) + inserted + rest;
    wanted.current = start + inserted.length;
    setCaret(wanted.current);
    setActive(null);
    type(next);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (offers.length === 0 || isComposing(event) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const at = offers[active];
    const act = {
      ArrowDown: () => setActive((active + 1) % offers.length),
      ArrowUp: () => setActive((Math.max(active, 0) + offers.length - 1) % offers.length),
      Escape: () => setLeft(text),
      ...(at && { Enter: () => choose(at), Tab: () => choose(at) }),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <div className={`filter-field ${className}`}>
      <Search />
      <input
        ref={field}
        type="search"
        className="react-aria-Input"
        dir="auto"
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        autoFocus={autoFocus}
        value={text}
        aria-autocomplete="list"
        aria-controls={offers.length > 0 ? list : undefined}
        aria-activedescendant={offers[active] ? `${list}-${active}` : undefined}
        onChange={({ currentTarget }) => {
          setCaret(currentTarget.selectionStart ?? -1);
          setActive(null);
          type(currentTarget.value);
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? -1)}
        onBlur={() => setCaret(-1)}
        onKeyDown={press}
      />
      {text === "" ? <kbd aria-hidden="true">/</kbd> : (
        <Button
          className="button quiet icon-only"
          aria-label={words.clear}
          onPress={() => (type(""), field.current?.focus())}
        >
          <Close />
        </Button>
      )}
      {offers.length > 0 && (
        <ul role="listbox" id={list} aria-label={words.offered} className="popover menu filter-offers">
          {offers.map((offer, at) => (
            <li
              key={offer.value}
              id={`${list}-${at}`}
              role="option"
              aria-selected={at === active}
              className="item"
              data-focused={at === active || undefined}
              ref={at === active ? bringIntoView : undefined}
              // The text field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() =>
                choose(offer)}
            >
              <span className="clip" dir="auto">{offer.name}</span>
              {offer.hint && <small className="clip">{offer.hint}</small>}
            </li>
          ))}
        </ul>
      )}
      <p role="status" className="hidden">{offers.length > 0 ? words.offeredCount(offers.length) : ""}</p>
    </div>
  );
}

function bringIntoView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: "nearest" });
}
