import { useEffect, useRef, useState } from "react";
import { Button, Input, SearchField } from "react-aria-components";
import { useKeys } from "../app/keys.ts";
import { Close, PriorityIcon, Search, StageIcon, TypeIcon } from "../ui/icons.tsx";
import { Choice } from "../ui/menu.tsx";
import { Toggle } from "../ui/toggle.tsx";
import { board, list } from "../words/board.ts";
import { PRIORITIES, ROLES, STAGES, TYPES } from "../words/enums.ts";
import { type Filters, isFiltered } from "./filters.ts";

interface Props {
  filters: Filters;
  change: (next: Filters) => void;
  /** The list also filters by stage. */
  withStage?: boolean;
}

const NONE: Filters = {
  q: undefined,
  request_type: undefined,
  priority: undefined,
  role: undefined,
  blocking: undefined,
  stage: undefined,
};

export function FilterBar({ filters, change, withStage = false }: Props) {
  const { request_type, priority, role, blocking, stage, sort } = filters;
  return (
    <div className="filters" role="search" aria-label={board.filter}>
      <WordFilter q={filters.q} change={(q) => change({ q })} />
      {withStage && (
        <Choice
          label={list.stage}
          none={board.any}
          words={STAGES}
          value={stage}
          look="chip"
          icon={(word) => <StageIcon stage={word} />}
          onChange={(stage) => change({ stage })}
        />
      )}
      <Choice
        label={board.type}
        none={board.any}
        words={TYPES}
        value={request_type}
        look="chip"
        icon={(word) => <TypeIcon type={word} />}
        onChange={(request_type) => change({ request_type })}
      />
      <Choice
        label={board.priority}
        none={board.any}
        words={PRIORITIES}
        value={priority}
        look="chip"
        icon={(word) => <PriorityIcon priority={word} />}
        onChange={(priority) => change({ priority })}
      />
      <Choice
        label={board.role}
        none={board.any}
        words={ROLES}
        value={role}
        look="chip"
        onChange={(role) => change({ role })}
      />
      <Toggle
        className="button chip"
        isOn={blocking === true}
        change={(on) => change({ blocking: on || undefined })}
      >
        {board.blocking}
      </Toggle>
      <Choice
        label={board.sort}
        none={board.usualSort}
        words={board.sorts}
        value={sort}
        look="chip"
        onChange={(sort) => change({ sort })}
      />
      {isFiltered(filters) && (
        <Button className="button quiet" onPress={() => change(NONE)}>
          <Close />
          {board.clearFilters}
        </Button>
      )}
    </div>
  );
}

function WordFilter({ q, change }: { q: string | undefined; change: (q: string | undefined) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  useKeys({ "/": () => field.current?.focus() });
  useEffect(() => () => clearTimeout(later.current), []);
  const [text, setText] = useState(q ?? "");
  // The text changes by the browser's back button, or by the button that clears all filters.
  useEffect(() => {
    if (document.activeElement !== field.current) setText(q ?? "");
  }, [q]);
  return (
    <SearchField
      className="filter-field"
      aria-label={board.filterByWords}
      value={text}
      onChange={(text) => {
        setText(text);
        clearTimeout(later.current);
        later.current = setTimeout(() => change(text.trim() || undefined), 200);
      }}
    >
      <Search />
      <Input ref={field} placeholder={board.words} />
      <kbd aria-hidden="true">/</kbd>
    </SearchField>
  );
}
