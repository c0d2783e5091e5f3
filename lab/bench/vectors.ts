import { startEmbedder } from "../../src/embedding/start.ts";
import { MODEL_DIR } from "../../src/core/services.ts";
import { randomOf } from "../random.ts";

/** Returns the vectors of texts by the service's own model. */
export async function embedTexts(texts: readonly string[]): Promise<Float32Array[]> {
  const embedder = startEmbedder({ threads: navigator.hardwareConcurrency, modelDir: MODEL_DIR });
  try {
    const vectors = await Promise.all(texts.map((text) => embedder.embed(text, { timeoutMs: 600_000 })));
    return vectors.map((vector) => {
      if (!vector) throw new Error("the model gave no vector");
      return vector;
    });
  } finally {
    embedder.close();
  }
}

/**
 * Makes any number of vectors near real ones. Each vector lies between two real vectors, but noise
 * moves it off the line between them, so that cosines are spread like those of real texts, from
 * unrelated to nearly the same. The sequence is the same each time.
 */
export class VectorSource {
  readonly #base: readonly Float32Array[];
  readonly #random = randomOf(0x9e3779b9);

  constructor(base: readonly Float32Array[]) {
    this.#base = base;
  }

  next(): Float32Array {
    const [one, other] = [this.#pick(), this.#pick()];
    const share = this.#random() * 0.5;
    // With noise of this length, the cosine to the real vectors is between 0.7 and 1.
    const noise = this.#random() / Math.sqrt(one.length);
    const vector = one.map((value, index) =>
      value * (1 - share) + other[index]! * share + this.#gaussian() * noise
    );
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  }

  #pick(): Float32Array {
    return this.#base[Math.floor(this.#random() * this.#base.length)]!;
  }

  #gaussian(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
  }
}
