import { EmbedPool } from "./_pool.ts";
import type { Embedder, EmbedderOptions } from "./embedder.ts";

/**
 * Starts a pool of workers that make sentence embeddings (all-MiniLM-L6-v2), so that the event loop
 * never waits for the model. Returns at once. Texts that arrive while the workers load the model
 * wait within their own timeouts.
 */
export function startEmbedder(options: EmbedderOptions): Embedder {
  return new EmbedPool(options);
}
