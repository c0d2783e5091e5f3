import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";

interface Props<Id extends string> {
  label: string;
  tabs: Record<Id, ReactNode>;
  selected: Id;
  select: (id: Id) => void;
  /** The panel of the selected tab. */
  children: ReactNode;
}

/** Tabs. The arrow keys select the next or the previous tab. */
export function Tabs<Id extends string>({ label, tabs, selected, select, children }: Props<Id>) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const ids = Object.keys(tabs) as Id[];
  const press = (event: KeyboardEvent) => {
    const at = ids.indexOf(selected);
    const next = {
      ArrowRight: (at + 1) % ids.length,
      ArrowLeft: (at + ids.length - 1) % ids.length,
      Home: 0,
      End: ids.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    // The board uses the same keys, so the tabs don't pass them on.
    event.stopPropagation();
    select(ids[next]!);
    list.current!.querySelectorAll<HTMLElement>("[role=tab]")[next]!.focus();
  };
  return (
    <div className="tabs">
      <div ref={list} role="tablist" aria-label={label} onKeyDown={press}>
        {ids.map((id) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${base}-${id}`}
            aria-selected={id === selected}
            aria-controls={id === selected ? `${base}-panel` : undefined}
            tabIndex={id === selected ? 0 : -1}
            onClick={() => select(id)}
          >
            {tabs[id]}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${selected}`}>
        {children}
      </div>
    </div>
  );
}
