import type { Embedder } from "../../src/embedding/embedder.ts";

/**
 * An embedder with a fixed vector for each title, which answers at once. It can be switched off and
 * on.
 */
export class SetVectors implements Embedder {
  readonly asked: string[] = [];
  readonly #vectors = new Map<string, Float32Array>();
  on = true;
  /** Runs once, while a text is being embedded. */
  meanwhile: (() => Promise<unknown>) | undefined;

  set(title: string, vector: readonly number[]): void {
    this.#vectors.set(title, Float32Array.from({ length: 384 }, (_, index) => vector[index] ?? 0));
  }

  async embed(text: string): Promise<Float32Array | null> {
    this.asked.push(text);
    const meanwhile = this.meanwhile;
    this.meanwhile = undefined;
    await meanwhile?.();
    const title = text.split("\n", 1)[0]!;
    return this.on ? this.#vectors.get(title) ?? null : null;
  }

  state(): ReturnType<Embedder["state"]> {
    return { state: this.on ? "ready" : "failed", queued: 0 };
  }

  close(): void {}
}

/**
 * Returns a vector of unit length in single precision that has this cosine with the first axis, on
 * an axis of its own.
 */
export function atCosine(cosine: number, axis = 1): number[] {
  const vector = Array<number>(384).fill(0);
  vector[0] = cosine;
  vector[axis] = Math.sqrt(1 - cosine ** 2);
  return vector;
}
