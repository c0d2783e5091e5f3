import type { ActorContext } from "../core/context.ts";
import { markNews } from "../news/mark.ts";

/** The most keys whose looks are remembered. A look that is forgotten is told once more. */
const MAX_KEYS = 10_000;
/** The most news that are marked by one statement. */
const AT_ONCE = 50;

/**
 * The news that agents were told and may not have got, because an answer can be lost. When an agent
 * calls another tool, it has seen them.
 */
export class Looks {
  readonly #told = new Map<string, Map<string, Set<number>>>();

  tell({ actor }: ActorContext, agent = "", ids: number[]): void {
    if (ids.length === 0) return;
    const { id } = actor.credential;
    const agents = this.#told.get(id) ?? new Map<string, Set<number>>();
    agents.set(agent, (agents.get(agent) ?? new Set()).union(new Set(ids)));
    this.#told.delete(id);
    this.#told.set(id, agents);
    if (this.#told.size > MAX_KEYS) this.#told.delete(this.#told.keys().next().value!);
  }

  async confirm(ctx: ActorContext): Promise<void> {
    const { id } = ctx.actor.credential;
    const agents = this.#told.get(id);
    if (!agents) return;
    this.#told.delete(id);
    for (const [agent, told] of agents) {
      const ids = [...told];
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        await markNews(ctx, { agent, ids: ids.slice(at, at + AT_ONCE) });
      }
    }
  }
}
