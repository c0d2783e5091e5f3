/** Cuts text into its lines, without their ends. Node's own cuts at U+2028 too, which JSON may hold as it is. */
export class TextLineStream extends TransformStream<string, string> {
  constructor() {
    // Put together once: with its history a ticket's line may come in thousands of pieces.
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
