import { setTimeout as pause } from "node:timers/promises";
import type { Fragment } from "../../db/open.ts";
import type { Context } from "../core/context.ts";
import type { Ticket } from "../tickets/schema.ts";
import type { Subject } from "./_batch.ts";
import { Rarity } from "./_rarity.ts";
import { type Terms, termsOf } from "./_terms.ts";

/**
 * The number of tickets from which the rarity of terms is computed. With 2,000 tickets the same
 * duplicates are found.
 */
const SAMPLE = 500;
/**
 * The number of tickets whose terms are kept, at about 15 kB each. A run works through groups of
 * similar tickets one after the other.
 */
const MOST_KEPT = 3_000;
/**
 * The number of texts that are read in about 5 ms. After these, other work of the thread gets its
 * turn.
 */
const TEXTS_A_TURN = 20;

export interface WordedTicket extends Pick<Ticket, "id" | "number" | "ticket_ref" | "title" | "stage"> {
  terms: Terms;
}

type TextRow = Omit<WordedTicket, "terms"> & Pick<Ticket, "description">;

/** The texts that one run compares, as terms, and the rarity of each term in the project. */
export class Words {
  readonly words = new Rarity();
  readonly identifiers = new Rarity();
  readonly #tickets = new Map<string, WordedTicket>();
  readonly #ctx: Context;
  readonly #subject: Subject;

  private constructor(ctx: Context, subject: Subject) {
    this.#ctx = ctx;
    this.#subject = subject;
  }

  /** Computes the rarity of terms from the project's newest tickets. */
  static async learn(ctx: Context, subject: Subject): Promise<Words> {
    const words = new Words(ctx, subject);
    const sample = await words.#keep(ctx.db`order by t.created_at desc, t.id desc limit ${SAMPLE}`);
    for (const { terms } of sample) {
      words.words.add(terms.all);
      words.identifiers.add(terms.identifiers);
    }
    return words;
  }

  async read(ticketIds: Iterable<string>): Promise<Map<string, WordedTicket>> {
    const wanted = new Set(ticketIds);
    const missing = [...wanted].filter((id) => !this.#tickets.has(id));
    if (this.#tickets.size + missing.length > MOST_KEPT) this.#tickets.clear();
    const unread = [...wanted].filter((id) => !this.#tickets.has(id));
    if (unread.length > 0) await this.#keep(this.#ctx.db`and t.id = any (${unread}::uuid[])`);
    return this.#tickets;
  }

  /** Reads tickets of the project; `which` is the rest of the statement. */
  async #keep(which: Fragment): Promise<WordedTicket[]> {
    const rows = await this.#ctx.db<TextRow[]>`
      select t.id, t.number, ${this.#subject.key} || '-' || t.number as ticket_ref, t.title, t.description, t.stage
      from tickets t where t.project_id = ${this.#subject.id}::uuid ${which}`;
    const kept: WordedTicket[] = [];
    for (const [index, { description, ...row }] of rows.entries()) {
      if (index % TEXTS_A_TURN === TEXTS_A_TURN - 1) await pause(0);
      const ticket = { ...row, terms: termsOf({ title: row.title, description }) };
      this.#tickets.set(row.id, ticket);
      kept.push(ticket);
    }
    return kept;
  }
}
