import fc from "fast-check";
import { expect, test } from "vitest";
import type { TicketSummary } from "../../portal/api/types.ts";
import { placeTickets, type TicketPage, withoutRepeats } from "../../portal/data/ticket_pages.ts";

const STAGES = ["backlog", "up_next"] as const;
const PRIORITIES = ["low", "medium", "high"] as const;
const SORTS = [
  "created_at",
  "-created_at",
  "updated_at",
  "-updated_at",
  "priority",
  "-priority",
  "rank",
] as const;
const COLUMNS = ["doing", "review"] as const;
type Sort = typeof SORTS[number];

const facts = fc.record({
  stage: fc.constantFrom(...STAGES),
  priority: fc.constantFrom(...PRIORITIES),
  column_id: fc.constantFrom(null, ...COLUMNS),
  // A ticket that is being moved has a key with a blank, behind the key of the one above.
  rank: fc.constantFrom("", "R9", "R9 ", "R9V", "a0"),
  // Few different times, so that ids have to decide.
  updated_at: fc.integer({ min: 1, max: 4 }).map((second) => `2026-01-01T00:00:0${second}.000Z`),
});
type Facts = Pick<TicketSummary, "stage" | "priority" | "column_id" | "rank" | "updated_at">;

const FACTS: Facts = {
  stage: "backlog",
  priority: "low",
  column_id: null,
  rank: "R9",
  updated_at: "2026-01-01T00:00:01.000Z",
};

/** The tickets of a service, by their ids. */
type World = Map<string, TicketSummary>;

function ticketOf(id: string, facts: Facts): TicketSummary {
  return { id, created_at: `2026-01-01T00:00:00.00${id.length}Z`, ...facts } as TicketSummary;
}

interface List {
  stage: TicketSummary["stage"] | undefined;
  column_id: string | undefined;
  sort: Sort;
}

/** Lists as the service does. */
function listed(world: World, { stage, column_id, sort }: List): TicketSummary[] {
  const name = sort.replace("-", "");
  const keyOf = (ticket: TicketSummary) =>
    (name === "priority"
      ? String(PRIORITIES.indexOf(ticket.priority))
      : String(ticket[name as "created_at"])) + `\n${ticket.id}`;
  const ascending = [...world.values()]
    .filter((ticket) => stage === undefined || ticket.stage === stage)
    .filter((ticket) => column_id === undefined || ticket.column_id === column_id)
    .toSorted((one, other) => keyOf(one) < keyOf(other) ? -1 : 1);
  return sort.startsWith("-") ? ascending.toReversed() : ascending;
}

/** Reads a page as the service does, after the ticket with which the last page ended. */
function read(
  world: World,
  list: List,
  limit: number,
  end?: TicketSummary,
): TicketPage {
  const before = end &&
    listed(new Map([...world, [end.id, end]]), { ...list, stage: undefined, column_id: undefined });
  const all = listed(world, list);
  const from = before
    ? all.filter((ticket) =>
      before.findIndex(({ id }) => id === ticket.id) > before.findIndex(({ id }) => id === end!.id)
    )
    : all;
  return { tickets: from.slice(0, limit), next_cursor: from.length > limit ? "more" : null };
}

test("changed tickets are placed where the service lists them, and the next page follows on", () => {
  fc.assert(
    fc.property(
      fc.record({
        tickets: fc.array(facts, { maxLength: 14 }),
        changes: fc.array(fc.tuple(fc.nat({ max: 16 }), facts), { maxLength: 8 }),
        stage: fc.constantFrom(undefined, ...STAGES),
        column_id: fc.constantFrom(undefined, ...COLUMNS),
        sort: fc.constantFrom(...SORTS),
        limit: fc.integer({ min: 1, max: 4 }),
        loaded: fc.integer({ min: 1, max: 4 }),
      }),
      ({ tickets, changes, stage, column_id, sort, limit, loaded }) => {
        const idOf = (place: number) => String.fromCharCode(97 + place);
        const world: World = new Map(
          tickets.map((each, place) => [idOf(place), ticketOf(idOf(place), each)]),
        );
        const list = { stage, column_id, sort };
        const pages = [read(world, list, limit)];
        while (pages.length < loaded && pages.at(-1)!.next_cursor !== null) {
          pages.push(read(world, list, limit, pages.at(-1)!.tickets.at(-1)));
        }
        let data = { pages, pageParams: pages.map(() => null) as (string | null)[] };
        for (const [place, each] of changes) {
          const ticket = ticketOf(idOf(place), each);
          world.set(ticket.id, ticket);
          data = placeTickets(data, { ...list, limit }, new Set([ticket.id]), [ticket]);
          expect(data.pageParams).toHaveLength(data.pages.length);
        }
        const shown = data.pages.flatMap((page) => page.tickets);
        const last = data.pages.at(-1)!;
        const rest = last.next_cursor === null
          ? []
          : read(world, list, 100, last.end ?? last.tickets.at(-1)).tickets;
        // The service leaves the ticket of a cursor out of the next page, so it stays at the end.
        const { end } = last;
        const ids = (of: TicketSummary[], without?: string) =>
          of.map(({ id }) => id).filter((id) => id !== without).join("");
        expect(ids([...shown, ...rest], end?.id)).toBe(ids(listed(world, list), end?.id));
        expect(shown.length + rest.length).toBe(listed(world, list).length);
        expect(Math.max(...data.pages.map((page) => page.tickets.length))).toBeLessThanOrEqual(2 * limit);
      },
    ),
    { numRuns: 500 },
  );
});

test("pages without a change stay the same, so that they are not drawn again", () => {
  const world: World = new Map(
    ["a", "b", "c", "d", "e", "f"].map((id) => [
      id,
      ticketOf(id, FACTS),
    ]),
  );
  const list = { stage: undefined, column_id: undefined, sort: "priority" as const };
  const pages = [read(world, list, 2), { tickets: listed(world, list).slice(2, 4), next_cursor: null }];
  const data = { pages, pageParams: [null, null] };
  const changed = { ...world.get("a")!, title: "Changed" };
  const placed = placeTickets(data, { ...list, limit: 2 }, new Set(["a"]), [changed]);
  expect(placed.pages[0]!.tickets[0]).toBe(changed);
  expect(placed.pages[1]).toBe(pages[1]);
  expect(placeTickets(data, { ...list, limit: 2 }, new Set(["x"]), [])).toBe(data);
});

test("a ticket that moved between the readings of two pages is shown once, as it was read later", () => {
  const [early, late] = ["low", "high"].map((priority) =>
    ticketOf("a", { ...FACTS, priority: priority as "low" })
  ) as [TicketSummary, TicketSummary];
  const data = {
    pages: [{ tickets: [early], next_cursor: "more" }, { tickets: [late], next_cursor: null }],
    pageParams: [null, "more"],
  };
  expect(withoutRepeats(data).pages.map(({ tickets }) => tickets)).toEqual([[], [late]]);
  const single = { pages: data.pages.slice(1), pageParams: [null] };
  expect(withoutRepeats(single)).toBe(single);
});
