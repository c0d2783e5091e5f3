import type { View } from "../api/types.ts";
import { Choice } from "../ui/menu.tsx";
import { GROUPINGS, views } from "../words/views.ts";

type Grouping = View["group_by"];

const { none, stage, column, ...FIELDS } = GROUPINGS;

interface Props {
  layout: View["layout"];
  group: Grouping | undefined;
  change: (group: Grouping | undefined) => void;
}

/** Lets a person choose the field that groups the tickets. A board has the columns of its stages anyway. */
export function GroupChoice({ layout, group, change }: Props) {
  const isBoard = layout === "board";
  const words: Partial<Record<Grouping, string>> = isBoard ? FIELDS : { stage, column, ...FIELDS };
  return (
    <Choice
      label={views.group}
      none={isBoard ? stage : none}
      words={words as Record<Grouping, string>}
      value={group !== undefined && Object.hasOwn(words, group) ? group : undefined}
      look="chip"
      onChange={change}
    />
  );
}
