import { Header, Menu, MenuItem, MenuSection, Popover, Separator } from "react-aria-components";
import type { Stage, TicketSummary } from "../api/types.ts";
import { Check, StageIcon } from "../ui/icons.tsx";
import { board } from "../words/board.ts";
import { STAGE_ORDER, STAGES } from "../words/enums.ts";

/** Tickets that are about to be moved, and the element below which the menu opens. */
export interface Moving {
  tickets: TicketSummary[];
  from: HTMLElement;
}

interface Props {
  moving: Moving;
  isSelected: boolean;
  close: () => void;
  move: (tickets: TicketSummary[], stage: Stage) => void;
  toggle: (id: string) => void;
}

/**
 * The stages to which one ticket, or all selected ones, can go. It works by touch, by pointer and
 * by key.
 */
export function MoveMenu({ moving: { tickets, from }, isSelected, close, move, toggle }: Props) {
  const [first] = tickets;
  if (!first) return null;
  const label = tickets.length === 1 ? board.move(first.ticket_ref) : board.moveMany(tickets.length);
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
        disabledKeys={tickets.length === 1 ? [first.stage] : []}
        onAction={(key) => {
          close();
          if (key === "select") toggle(first.id);
          else move(tickets, key as Stage);
        }}
      >
        <MenuSection>
          <Header>{board.moveTo}</Header>
          {STAGE_ORDER.map((stage, at) => (
            <MenuItem key={stage} id={stage} className="item" textValue={STAGES[stage]}>
              <StageIcon stage={stage} />
              <span>{STAGES[stage]}</span> <kbd>{at + 1}</kbd>
            </MenuItem>
          ))}
        </MenuSection>
        {tickets.length === 1 && <Separator className="separator" />}
        {tickets.length === 1 && (
          <MenuItem id="select" className="item">
            <Check />
            {isSelected ? board.deselect : board.select}
          </MenuItem>
        )}
      </Menu>
    </Popover>
  );
}
