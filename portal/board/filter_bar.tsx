import { type ReactNode, Suspense } from "react";
import type { FilterKey } from "../../src/tickets/filter_terms.ts";
import { part } from "../api/load.ts";
import type { Priority, Project, RequestType, Stage } from "../api/types.ts";
import { FilterField } from "../app/filter_field.tsx";
import { FilterNotes } from "../app/filter_notes.tsx";
import { VALUES } from "../app/filter_offers.ts";
import { isSameValue, toggleValue, valuesOf, withoutKey } from "../app/filter_text.ts";
import { useFilterText } from "../app/use_filter_text.ts";
import { PriorityIcon, StageIcon, TypeIcon } from "../ui/icons.tsx";
import { Choice, Opener } from "../ui/menu.tsx";
import { board } from "../words/board.ts";
import { filters as words } from "../words/filters.ts";
import type { Filters } from "./filters.ts";

const FilterPicker = part(async () => (await import("./filter_picker.tsx")).default);

interface Props {
  project: Project;
  filters: Filters;
  change: (next: Filters) => void;
  /** The list also filters by stage. */
  withStage?: boolean;
  /** Further parts, behind the buttons. */
  children?: ReactNode;
}

/** The keys that have a button, with the icons of their values. */
const CHIPS = {
  stage: { label: words.stage, icon: (value) => <StageIcon stage={value as Stage} /> },
  type: { label: words.type, icon: (value) => <TypeIcon type={value as RequestType} /> },
  priority: { label: words.priority, icon: (value) => <PriorityIcon priority={value as Priority} /> },
  role: { label: words.role },
  assignee: { label: words.assignee },
  label: { label: words.label },
  milestone: { label: words.milestone },
  due: { label: words.due },
  is: { label: words.state },
} satisfies { [Key in FilterKey]?: { label: string; icon?: (value: string) => ReactNode } };
export type ChipKey = keyof typeof CHIPS;

/**
 * The text that says which tickets are shown, and buttons that write filters into it and read them
 * back.
 */
export function FilterBar({ project, filters, change, withStage = false, children }: Props) {
  const { q = "", sort } = filters;
  const { text, type, put, ...notes } = useFilterText(project.id, q, (q) => change({ q: q || undefined }));
  const keys = (Object.keys(CHIPS) as ChipKey[]).filter((key) => key !== "stage" || withStage);
  return (
    <div className="filters" role="search" aria-label={words.title}>
      <FilterField
        project={project}
        label={words.field}
        placeholder={words.placeholder}
        text={text}
        type={type}
      />
      <div className="chips">
        {keys.map((key) => <Chip key={key} of={key} project={project} text={text} put={put} />)}
        <Choice
          label={board.sort}
          none={board.usualSort}
          words={board.sorts}
          value={sort}
          look="chip"
          onChange={(sort) => change({ sort })}
        />
        {children}
      </div>
      <FilterNotes text={text} put={put} {...notes} />
    </div>
  );
}

interface ChipProps {
  of: ChipKey;
  project: Project;
  text: string;
  put: (text: string) => void;
}

function Chip({ of, project, text, put }: ChipProps) {
  const { label, icon }: { label: string; icon?: (value: string) => ReactNode } = CHIPS[of];
  const values = valuesOf(text, of);
  const named: [value: string, name: string][] = Object.entries(VALUES[of]);
  const known = values.map((value) =>
    named.find(([each]) => isSameValue(each, value)) ?? [null, value] as const
  );
  const shown = known.map(([, name]) => name.replaceAll('"', "")).join(", ");
  const [only] = known.length === 1 ? known : [];
  return (
    <Opener
      className={`button choice-button chip${values.length > 0 ? " on" : ""}`}
      aria-label={shown === "" ? label : `${label}: ${shown}`}
      opened={(opened) => (
        <Suspense>
          <FilterPicker
            {...opened}
            of={of}
            label={label}
            icon={icon}
            project={project}
            chosen={values}
            toggle={(value) => put(toggleValue(text, of, value))}
            clear={() => put(withoutKey(text, of))}
          />
        </Suspense>
      )}
    >
      <span className="choice-value">
        {only?.[0] && icon?.(only[0])}
        <span className="clip">{shown || label}</span>
      </span>
      <span aria-hidden="true" className="caret" />
    </Opener>
  );
}
