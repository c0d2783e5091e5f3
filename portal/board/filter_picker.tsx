import { type ReactNode, useState } from "react";
import type { Project } from "../api/types.ts";
import { begins, type Offer, useNames, wordsOf } from "../app/filter_offers.ts";
import { isSameValue } from "../app/filter_text.ts";
import { Close } from "../ui/icons.tsx";
import type { Opened } from "../ui/menu.tsx";
import { Picker } from "../app/picker.tsx";
import { filters as words } from "../words/filters.ts";
import type { ChipKey } from "./filter_bar.tsx";

interface Props extends Opened {
  of: ChipKey;
  label: string;
  icon: ((value: string) => ReactNode) | undefined;
  project: Project;
  /** The values of the text's filters, as they are written. */
  chosen: string[];
  toggle: (value: string) => void;
  clear: () => void;
}

const ANY = "";

/** The values of one key, of which several may be chosen. */
export default function FilterPicker({ of, label, icon, project, chosen, toggle, clear, ...opened }: Props) {
  const [typed, type] = useState("");
  const offers = [...wordsOf(of), ...useNames(project, of, typed)];
  // A value that the person wrote is among them, so that it can be taken away.
  const others = chosen.filter((value) => !offers.some((offer) => isSameValue(offer.value, value)));
  const all: Offer[] = [...offers, ...others.map((value) => ({ value, name: value.replaceAll('"', "") }))];
  const shown = all.filter(({ value, name }) => begins(name, typed) || begins(value, typed));
  const isChosen = ({ value }: Offer) => chosen.some((each) => isSameValue(each, value));
  return (
    <Picker
      {...opened}
      label={label}
      placeholder={words.find(label)}
      typed={typed}
      type={type}
      isMany
      chosen={new Set(chosen.length === 0 ? [ANY] : shown.filter(isChosen).map(({ value }) => value))}
      options={[
        ...(typed === "" ? [{ id: ANY, name: words.any, icon: <Close /> }] : []),
        ...shown.map(({ value, name }) => ({ id: value, name, icon: icon?.(value) })),
      ]}
      pick={(value) => value === ANY ? clear() : toggle(value)}
      empty={words.noSuch}
    />
  );
}
