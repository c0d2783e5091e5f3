/** The card to which keys apply. It is the card with the focus, or else the card under the pointer. */
export function cardAtHand(): HTMLElement | null {
  return cardWithFocus() ?? document.querySelector<HTMLElement>("[data-card]:hover");
}

/** A card that gets the focus in the next frame has it already, so that no key between is lost. */
function cardWithFocus(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>("[data-card]") ??
    (awaited === null ? null : document.querySelector<HTMLElement>(awaited));
}

/** Selects the card that gets the focus as soon as it is drawn. */
let awaited: string | null = null;

/**
 * Moves the focus to the card below or above, or to the card at the same height in the next column.
 */
export function focusBeside(columns: number, rows: number): void {
  const card = cardWithFocus() ?? document.querySelector<HTMLElement>("[data-card].open");
  if (!card) return focusCard(document.querySelector("[data-card]"));
  const column = card.closest<HTMLElement>("[data-column]")!;
  if (rows !== 0) {
    const cards = [...column.querySelectorAll("[data-card]")];
    return focusCard(cards[cards.indexOf(card) + rows]);
  }
  const all = [...document.querySelectorAll<HTMLElement>("[data-column]")];
  for (let at = all.indexOf(column) + columns; all[at]; at += columns) {
    const cards = [...all[at]!.querySelectorAll("[data-card]")];
    const { top } = card.getBoundingClientRect();
    const nearest = cards.find((each) => each.getBoundingClientRect().bottom > top) ?? cards.at(-1);
    if (nearest) return focusCard(nearest);
  }
}

/** The tickets of a card's column that are drawn, in their order. */
export function idsOf(card: HTMLElement): string[] {
  const cards = card.closest("[data-column]")!.querySelectorAll<HTMLElement>("[data-card]");
  return Array.from(cards, ({ dataset }) => dataset["card"]!);
}

export function focusCard(card: Element | null | undefined): void {
  card?.querySelector<HTMLElement>("a")?.focus();
  card?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** The most frames in which a ticket's card is waited for. */
const PATIENCE = 60;
/** The frames in which a card within its column may be drawn again, and so lose the focus. */
const SETTLING = 8;

/**
 * Moves the focus to a ticket's card as soon as the card is drawn in its new place, unless the
 * person has moved the focus to something else.
 */
export function focusTicket(id: string, column: string): void {
  const card = `[data-card="${CSS.escape(id)}"]`;
  const from = document.activeElement;
  const place = `[data-column="${column}"] ${card}, [data-column="list"] ${card}`;
  let frames = 0;
  const look = () => {
    const now = document.activeElement;
    const found = document.querySelector(place);
    const isFree = now === from || now === document.body || found?.contains(now);
    if (isFree && found) focusCard(found);
    if (isFree && frames++ < (found ? SETTLING : PATIENCE)) requestAnimationFrame(look);
    if (awaited === place && (found || !isFree || frames > PATIENCE)) awaited = null;
  };
  awaited = place;
  requestAnimationFrame(look);
}
