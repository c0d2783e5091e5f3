import { type ReactNode, type RefObject, Suspense, useRef, useState } from "react";
import { Button, type ButtonProps } from "react-aria-components";
import { part } from "../api/load.ts";

const OpenMenu = part(async () => (await import("./open_menu.tsx")).default);

/** The button of an open menu, and the way to close the menu. */
export interface Opened {
  trigger: RefObject<HTMLButtonElement | null>;
  close: () => void;
}

interface OpenerProps {
  className: string;
  "aria-label"?: string;
  isDisabled?: boolean;
  children: ReactNode;
  opened: (opened: Opened) => ReactNode;
  /** The kind of part that the button opens. */
  popup?: "menu" | "dialog";
  /** For a caller that opens it by other means, too. */
  state?: readonly [isOpen: boolean, setOpen: (isOpen: boolean) => void];
}

/**
 * A button with a menu. The code of menus is a tenth of the first page, so it is loaded when one is
 * opened.
 */
export function Opener({ opened, isDisabled = false, popup = "menu", state, ...button }: OpenerProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const own = useState(false);
  const [isOpen, setOpen] = state ?? own;
  const press: ButtonProps["onKeyDown"] = (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return event.continuePropagation();
    event.preventDefault();
    setOpen(true);
  };
  return (
    <>
      <Button
        {...button}
        ref={trigger}
        isDisabled={isDisabled}
        aria-haspopup={popup}
        aria-expanded={isOpen}
        onPress={() => setOpen(true)}
        onKeyDown={press}
      />
      <Suspense>{isOpen && opened({ trigger, close: () => setOpen(false) })}</Suspense>
    </>
  );
}

export interface MenuAct {
  label: string;
  icon?: ReactNode;
  isDanger?: boolean;
  /** Whether it is the chosen one of several. Other acts leave it out. */
  isChosen?: boolean;
  run: () => void;
}

interface MenuProps extends Omit<OpenerProps, "opened"> {
  /** The menu's name. */
  label: string;
  acts: MenuAct[];
}

/** A button that opens a menu of acts. */
export function MenuButton({ label, acts, ...button }: MenuProps) {
  return <Opener {...button} opened={(opened) => <OpenMenu {...opened} label={label} acts={acts} />} />;
}

interface ChoiceProps<Word extends string> {
  label: string;
  words: Record<Word, string>;
  value: Word | undefined;
  onChange: (value: Word | undefined) => void;
  /** The word for no choice. Without such a word, one of the options is always chosen. */
  none?: string;
  icon?: (word: Word) => ReactNode;
  /**
   * `chip` shows the label while none is chosen; `quiet` looks like text until it is pointed at.
   */
  look?: "chip" | "quiet" | "plain";
  isDisabled?: boolean;
}

/** Lets a person choose one of a few words. */
export function Choice<Word extends string>(props: ChoiceProps<Word>) {
  const { label, words, value, onChange, none, icon, look = "plain", isDisabled = false } = props;
  const isOn = look === "chip" && value !== undefined;
  const shown = value === undefined ? (look === "chip" ? label : none) : words[value];
  const acts: MenuAct[] = (Object.entries(words) as [Word, string][]).map(([id, word]) => ({
    label: word,
    icon: icon?.(id),
    isChosen: id === value,
    run: () => onChange(id),
  }));
  const nothing = none === undefined
    ? []
    : [{ label: none, isChosen: value === undefined, run: () => onChange(undefined) }];
  return (
    <MenuButton
      className={`button choice-button ${look}${isOn ? " on" : ""}`}
      aria-label={shown === label ? label : `${label}: ${shown}`}
      isDisabled={isDisabled}
      label={label}
      acts={[...nothing, ...acts]}
    >
      <span className="choice-value">
        {value !== undefined && icon?.(value)}
        {isOn && `${label}: `}
        {shown}
      </span>
      <span aria-hidden="true" className="caret" />
    </MenuButton>
  );
}
