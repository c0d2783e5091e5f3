import type { ReactNode } from "react";
import { Button, ListBox, ListBoxItem, Popover, Select, SelectValue, Text } from "react-aria-components";

interface Props<Word extends string> {
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
export function Choice<Word extends string>(props: Props<Word>) {
  const { label, words, value, onChange, none, icon, look = "plain", isDisabled = false } = props;
  const isOn = look === "chip" && value !== undefined;
  return (
    <Select
      aria-label={label}
      value={value ?? NONE}
      isDisabled={isDisabled}
      onChange={(key) => onChange(key === NONE ? undefined : key as Word)}
    >
      <Button className={`button choice-button ${look}${isOn ? " on" : ""}`}>
        <SelectValue className="choice-value">
          {() => value === undefined ? (look === "chip" ? label : none) : <>{icon?.(value)}{words[value]}</>}
        </SelectValue>
        <span aria-hidden="true" className="caret" />
      </Button>
      <Popover className="popover">
        <ListBox className="menu">
          {none !== undefined && <ListBoxItem id={NONE} className="item">{none}</ListBoxItem>}
          {(Object.entries(words) as [Word, string][]).map(([id, word]) => (
            <ListBoxItem key={id} id={id} className="item" textValue={word}>
              {icon?.(id)}
              <Text slot="label">{word}</Text>
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
}

const NONE = "";
