import type { View } from "../api/types.ts";
import { Choice } from "../ui/menu.tsx";
import { GROUPINGS, views } from "../words/views.ts";

const { none, ...FIELDS } = GROUPINGS;
type Grouping = keyof typeof FIELDS;

interface Props {
  group: Exclude<View["group_by"], "none"> | undefined;
  change: (group: Grouping | undefined) => void;
}

/** Lets a person choose the field that groups the tickets. */
export function GroupChoice({ group, change }: Props) {
  return (
    <Choice
      label={views.group}
      none={none}
      words={FIELDS}
      value={group}
      look="chip"
      onChange={change}
    />
  );
}
