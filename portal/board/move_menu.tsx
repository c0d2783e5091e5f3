import { Header, Menu, MenuItem, MenuSection, Popover, Separator } from "react-aria-components";
import type { TicketSummary } from "../api/types.ts";
import { orderAround } from "../data/ticket_lists.ts";
import type { Target } from "../data/tickets.ts";
import { Check, Down, StageIcon, Up } from "../ui/icons.tsx";
import { board } from "../words/board.ts";
import { STAGE_ORDER, STAGES } from "../words/enums.ts";
import { columnOf, type DrawnColumn, firstOf, nameOf } from "./columns.ts";

/** Tickets that are about to be moved, and the element below which the menu opens. */
export interface Moving {
  tickets: TicketSummary[];
  from: HTMLElement;
}

interface Props {
  moving: Moving;
  columns: readonly DrawnColumn[];
  isSelected: boolean;
  close: () => void;
  move: (tickets: TicketSummary[], target: Target) => void;
  moveToEnd: (ticket: TicketSummary, end: "top" | "bottom") => void;
  toggle: (id: string) => void;
}

/**
 * The columns to which one ticket, or all selected ones, can go, and for one ticket the ends of its
 * column. It works by touch, by pointer and by key.
 */
export function MoveMenu(props: Props) {
  const { moving: { tickets, from }, columns, isSelected, close, move, moveToEnd, toggle } = props;
  const [first] = tickets;
  if (!first) return null;
  const isOne = tickets.length === 1;
  const label = isOne ? board.move(first.ticket_ref) : board.moveMany(tickets.length);
  // Several tickets land in the first column of another stage.
  const offered = columns.filter((column) =>
    isOne || column === firstOf(columns, column.stage) ||
    tickets.every(({ stage }) => stage === column.stage)
  );
  const hasEnds = isOne && orderAround(first) !== undefined;
  const acts: Record<string, () => void> = {
    select: () => toggle(first.id),
    top: () => moveToEnd(first, "top"),
    bottom: () => moveToEnd(first, "bottom"),
  };
  return (
    <Popover
      className="popover"
      aria-label={label}
      triggerRef={{ current: from }}
      isOpen
      onOpenChange={(isOpen) => !isOpen && close()}
      placement="bottom start"
    >
      <Menu
        className="menu"
        aria-label={label}
        autoFocus="first"
        disabledKeys={isOne ? [columnOf(columns, first).key] : []}
        onAction={(key) => {
          close();
          const column = columns.find((each) => each.key === key);
          if (column) move(tickets, column);
          else acts[key as string]!();
        }}
      >
        <MenuSection>
          <Header>{board.moveTo}</Header>
          {offered.map((column) => (
            <MenuItem key={column.key} id={column.key} className="item" textValue={nameOf(column)}>
              <StageIcon stage={column.stage} />
              <span className="clip" dir="auto">{column.own?.name ?? STAGES[column.stage]}</span>
              {column.own && (
                <>
                  {" "}
                  <small>{STAGES[column.stage]}</small>
                </>
              )}
              {column === firstOf(columns, column.stage) && (
                <>
                  {" "}
                  <kbd>{STAGE_ORDER.indexOf(column.stage) + 1}</kbd>
                </>
              )}
            </MenuItem>
          ))}
        </MenuSection>
        {hasEnds && <Separator className="separator" />}
        {hasEnds && (
          <MenuItem id="top" className="item">
            <Up />
            {board.toTop}
          </MenuItem>
        )}
        {hasEnds && (
          <MenuItem id="bottom" className="item">
            <Down />
            {board.toBottom}
          </MenuItem>
        )}
        {isOne && <Separator className="separator" />}
        {isOne && (
          <MenuItem id="select" className="item">
            <Check />
            {isSelected ? board.deselect : board.select}
          </MenuItem>
        )}
      </Menu>
    </Popover>
  );
}
