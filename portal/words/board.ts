import { STAGES } from "./enums.ts";
import type { Stage } from "../api/types.ts";

/** Words of the board and the list. */
export const board = {
  sort: "Sort",
  usualSort: "As usual",
  sorts: {
    "rank": "By hand",
    "-priority": "Priority",
    "-updated_at": "Recently changed",
    "updated_at": "Longest untouched",
    "-created_at": "Newest",
    "created_at": "Oldest",
  },
  newTicket: "New ticket",
  viewer: "Read only",
  emptyColumn: "Nothing here",
  emptyFiltered: "Nothing matches",
  move: (ref: string) => `Move ${ref}`,
  moveMany: (count: number) => `Move ${count} tickets`,
  moveTo: "Move to",
  select: "Select",
  deselect: "Deselect",
  selected: "Selected",
  selectedCount: (count: number) => `${count} selected`,
  selectedTickets: "Selected tickets",
  selectedLoaded: (count: number) => `${count} selected. Tickets that aren't loaded yet are not among them.`,
  close: "Close…",
  clear: "Clear",
  atMost: (count: number) => `At most ${count} tickets are moved at once`,
  /** The name of a column, with its stage. */
  column: (stage: Stage, name: string | undefined) =>
    name === undefined ? STAGES[stage] : `${name} (${STAGES[stage]})`,
  moved: (ref: string, column: string) => `${ref} is in ${column}.`,
  placedAtTop: (ref: string, column: string) => `${ref} is at the top of ${column}.`,
  placedBelow: (ref: string, above: string) => `${ref} is below ${above}.`,
  toTop: "To the top",
  toBottom: "To the bottom",
  notByHand: "Tickets are placed by hand when the board is sorted by hand.",
  movedMany: (count: number, column: string) =>
    `${count} ${count === 1 ? "ticket is" : "tickets are"} in ${column}.`,
  changedMany: (count: number) => `${count} ${count === 1 ? "ticket is" : "tickets are"} changed.`,
  backMany: (count: number) => `${count} ${count === 1 ? "ticket is" : "tickets are"} as before.`,
  leftMany: (refs: string[]) =>
    `Somebody else has changed ${refs.join(", ")} since. ${refs.length === 1 ? "It stays" : "They stay"} so.`,
  changedByAnother: (ref: string) =>
    `${ref} was changed by somebody else just now. It stays where they put it.`,
  open: (ref: string) => `Open ${ref}`,
  skipRoles: "Skip roles and close",
  blockingMark: "Blocking",
  tasksDone: (done: number, total: number) => `${done} of ${total} tasks done`,
  casesApproved: (approved: number, total: number) => `${approved} of ${total} test cases approved`,
  questions: (count: number) => `${count} ${count === 1 ? "question waits" : "questions wait"} for an answer`,
  at: (name: string, isAgent: boolean) => `${isAgent ? "Agent of " : ""}${name} is at work`,
  run: { running: "Agent at work", finished: "Agent finished", failed: "Agent failed" } as Record<
    string,
    string
  >,
  priorityAndType: (priority: string, type: string) => `${priority} priority, ${type}`,
};

/** The tickets in a column that has a limit. */
export function overLimit(tickets: number, limit: number): string {
  return `${tickets} of ${limit}${tickets > limit ? ", over the limit" : ""}`;
}

/** Words of the dialog that shows what a move or closing of many would do. */
export const dryRun = {
  title: (count: number, stage: Stage) =>
    `${stage === "live" ? "Close" : "Move"} ${count} ${count === 1 ? "ticket" : "tickets"}${
      stage === "live" ? "" : ` to ${STAGES[stage]}`
    }`,
  checking: "Checking what would happen…",
  can: (count: number, stage: Stage) => `${count} ${stage === "live" ? "can be closed" : "can be moved"}`,
  cannot: (count: number) => `${count} can't`,
  nothing: "None of the tickets can.",
  skipRoles: "Skip roles that are unfinished",
  skipTests: "Close although test cases are not approved",
  skipTestsHint: "It is written into the history with your name.",
  resolution: "Resolution",
  note: "Note",
  confirm: (count: number, stage: Stage) => stage === "live" ? `Close ${count}` : `Move ${count}`,
  done: (count: number, stage: Stage) => stage === "live" ? `${count} closed` : `${count} moved`,
  refusedNow: (count: number) => `${count} refused`,
  finish: "Done",
};
