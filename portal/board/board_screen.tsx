import { getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import { part } from "../api/load.ts";
import { isUsual } from "../app/view_address.ts";
import type { TicketGrouping } from "../data/ticket_groups.ts";
import { Board } from "./board.tsx";

const GroupedBoard = part(async () => (await import("./grouped_board.tsx")).GroupedBoard);
const route = getRouteApi("/signed-in/$key/board");

/** The board with the columns of its stages, or grouped by another field. */
export function BoardScreen() {
  const { group } = route.useSearch();
  if (group === undefined || isUsual("board", group)) return <Board />;
  return (
    <Suspense fallback={<main className="screen" id="main" aria-busy="true" />}>
      <GroupedBoard key={group} by={group as TicketGrouping} />
    </Suspense>
  );
}
