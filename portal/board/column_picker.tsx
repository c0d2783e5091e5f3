import { useState } from "react";
import { named, Picker } from "../app/picker.tsx";
import type { Opened } from "../ui/menu.tsx";
import { list } from "../words/list.ts";
import { filters } from "../words/filters.ts";
import { type ColumnName, COLUMNS } from "./list_columns.tsx";

interface Props extends Opened {
  columns: readonly ColumnName[];
  toggle: (name: ColumnName) => void;
}

export default function ColumnPicker({ columns, toggle, ...opened }: Props) {
  const [typed, type] = useState("");
  const options = (Object.keys(COLUMNS) as ColumnName[]).map((id) => ({ id, name: list.columns[id] }));
  return (
    <Picker
      {...opened}
      label={list.columnsTitle}
      placeholder={filters.find(list.columnsTitle)}
      typed={typed}
      type={type}
      isMany
      chosen={new Set(columns)}
      options={named(options, typed)}
      pick={(id) => toggle(id as ColumnName)}
      empty={filters.noSuch}
    />
  );
}
