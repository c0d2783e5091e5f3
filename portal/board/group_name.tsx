import type { Outputs, Priority, Stage } from "../api/types.ts";
import type { TicketGrouping } from "../data/ticket_groups.ts";
import { PriorityIcon, StageIcon } from "../ui/icons.tsx";
import { LabelTag } from "../ui/label_tag.tsx";
import { PRIORITIES, STAGES } from "../words/enums.ts";
import { NO_VALUES, views as words } from "../words/views.ts";

export type Group = Outputs["tickets"]["groups"]["groups"][number];

/** The name of a group as text. */
export function nameOf(by: TicketGrouping, { value, name, ref }: Group): string {
  if (value === "none") return NO_VALUES[by];
  if (by === "priority") return PRIORITIES[value as Priority];
  if (by === "stage" || by === "column" && name === null) return STAGES[value as Stage];
  return [ref, name ?? words.goneValue].filter((part) => part !== null).join(" ");
}

export function GroupName({ by, group }: { by: TicketGrouping; group: Group }) {
  const { value, name, ref, color } = group;
  if (color !== null) return <LabelTag label={{ name: name ?? "", color }} />;
  const isStage = by === "stage" || by === "column" && name === null;
  return (
    <>
      {by === "priority" && <PriorityIcon priority={value as Priority} />}
      {isStage && value !== "none" && <StageIcon stage={value} />}
      {ref !== null && <span className="ref">{ref}</span>}
      <span className="clip" dir="auto">{ref !== null && name !== null ? name : nameOf(by, group)}</span>
    </>
  );
}
