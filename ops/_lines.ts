/** Cuts text into its lines, without their ends. Node's own cuts at U+2028 too, which JSON may hold as it is. */
export class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(chunk, controller) {
        const lines = (rest + chunk).split(/\r?\n/);
        rest = lines.pop()!;
        for (const line of lines) controller.enqueue(line);
      },
      flush(controller) {
        if (rest !== "") controller.enqueue(rest);
      },
    });
  }
}
