import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { Autocomplete, Input, Menu, MenuItem, Popover, SearchField } from "react-aria-components";
import { wordsOf } from "../ui/marked.tsx";
import type { Opened } from "../ui/menu.tsx";
import { isComposing } from "./keys.ts";

export interface Option {
  id: string;
  name: string;
  icon?: ReactNode;
  hint?: ReactNode;
}

interface Props extends Opened {
  label: string;
  placeholder: string;
  options: Option[];
  chosen: ReadonlySet<string>;
  /** Whether several may be chosen. Then the picker stays open. */
  isMany?: boolean;
  pick: (id: string) => void;
  typed: string;
  type: (typed: string) => void;
  isPending?: boolean;
  /** The words if there is no option. */
  empty: string;
  /** Words below the options. */
  hint?: string | undefined;
}

/** The options with a word that begins as each typed word does. */
export function named<Each extends { name: string }>(options: readonly Each[], typed: string): Each[] {
  const sought = wordsOf(typed);
  return options.filter(({ name }) => {
    const words = wordsOf(name);
    return sought.every((each) => words.some((word) => word.startsWith(each)));
  });
}

/** A list below a button, in which one types to find an option. The caller finds the options. */
export function Picker(props: Props) {
  const { label, placeholder, options, chosen, isMany = false, pick, typed, type, empty, hint } = props;
  const { trigger, close, isPending = false } = props;
  const choose = (id: string) => {
    if (!isMany) close();
    pick(id);
  };
  const enter = useEnter(typed, isPending, () => options[0] && choose(options[0].id));
  return (
    <Popover
      className="popover picker"
      aria-label={label}
      placement="bottom start"
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => !isOpen && close()}
    >
      <Autocomplete inputValue={typed} onInputChange={type}>
        <SearchField
          autoFocus
          aria-label={label}
          className="picker-field"
          onKeyDown={(event) => {
            if (event.key === "Escape") close();
            if (event.key === "Enter" && !isComposing(event)) enter(event.target as Element);
          }}
        >
          <Input placeholder={placeholder} />
        </SearchField>
        <Menu
          className="menu"
          aria-label={label}
          selectionMode={isMany ? "multiple" : "single"}
          selectedKeys={chosen}
          onAction={(id) => choose(String(id))}
          renderEmptyState={() => <p className="empty">{isPending ? "…" : empty}</p>}
        >
          {options.map(({ id, name, icon, hint }) => (
            <MenuItem key={id} id={id} className="item" textValue={name}>
              {icon}
              <span className="clip" dir="auto">{name}</span>
              {hint && <small>{hint}</small>}
            </MenuItem>
          ))}
        </Menu>
      </Autocomplete>
      {hint && <p className="hint picker-hint">{hint}</p>}
    </Popover>
  );
}

/**
 * Enter takes the first option if none has been reached by the arrows. If the options for the typed
 * text aren't there yet, it waits for them.
 */
function useEnter(typed: string, isPending: boolean, take: () => void) {
  const [wanted, setWanted] = useState<string | null>(null);
  const takeWanted = useEffectEvent(() => {
    setWanted(null);
    take();
  });
  useEffect(() => {
    if (wanted === typed && !isPending) takeWanted();
  }, [wanted, typed, isPending]);
  return (field: Element) => {
    if (typed.trim() !== "" && !field.hasAttribute("aria-activedescendant")) setWanted(typed);
  };
}
