import type { ReactNode } from "react";
import { Button, Toolbar } from "react-aria-components";
import type { Stage } from "../api/types.ts";
import { Close, StageIcon } from "../ui/icons.tsx";
import { board } from "../words/board.ts";
import { STAGE_ORDER, STAGES } from "../words/enums.ts";

/** The actions for all selected tickets. */
export function BulkBar(props: {
  count: number;
  move: (stage: Stage) => void;
  clear: () => void;
  /** The buttons that set fields. */
  fields: ReactNode;
}) {
  return (
    <Toolbar className="bulk" aria-label={board.selectedTickets}>
      <b role="status">{board.selectedCount(props.count)}</b>
      {STAGE_ORDER.map((stage) => (
        <Button key={stage} className="button" onPress={() => props.move(stage)}>
          <StageIcon stage={stage} />
          <span>{STAGES[stage]}</span>
        </Button>
      ))}
      {props.fields}
      <Button className="button quiet" onPress={props.clear}>
        <Close />
        {board.clear}
      </Button>
    </Toolbar>
  );
}
