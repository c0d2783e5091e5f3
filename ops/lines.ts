/**
 * Cuts text into its lines, without their ends. Node's own reader also cuts at U+2028, which JSON
 * may hold unescaped.
 */
export class TextLineStream extends TransformStream<string, string> {
  constructor() {
    // The pieces of a line are joined once, at its end, because a ticket's line with its history
    // may come in thousands of pieces.
    let pieces: string[] = [];
    const take = () => {
      const line = pieces.join("").replace(/\r$/, "");
      pieces = [];
      return line;
    };
    super({
      transform(chunk, controller) {
        const [first, ...others] = chunk.split("\n");
        pieces.push(first!);
        for (const other of others) {
          controller.enqueue(take());
          pieces.push(other);
        }
      },
      flush(controller) {
        const last = take();
        if (last !== "") controller.enqueue(last);
      },
    });
  }
}
