import { monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";

/** The pixels at an edge in which a dragged card makes the element scroll. */
const EDGE = 72;
/** The most pixels of one frame. */
const FASTEST = 24;

/**
 * Scrolls the board and its columns while a card is dragged near one of their edges, the faster the
 * nearer. Returns a function that ends this.
 */
export function scrollWhileDragging(board: HTMLElement): () => void {
  let frame = 0;
  let [x, y] = [0, 0];
  const step = () => {
    const { left, right } = board.getBoundingClientRect();
    board.scrollLeft += speedOf(x, left, right);
    for (const list of board.querySelectorAll<HTMLElement>(".cards")) {
      const rect = list.getBoundingClientRect();
      if (x >= rect.left && x <= rect.right) list.scrollTop += speedOf(y, rect.top, rect.bottom);
    }
    frame = requestAnimationFrame(step);
  };
  const end = monitorForElements({
    onDragStart: ({ location }) => {
      ({ clientX: x, clientY: y } = location.current.input);
      frame = requestAnimationFrame(step);
    },
    onDrag: ({ location }) => {
      ({ clientX: x, clientY: y } = location.current.input);
    },
    onDrop: () => cancelAnimationFrame(frame),
  });
  return () => {
    cancelAnimationFrame(frame);
    end();
  };
}

/** The pixels by which an element scrolls in one frame, with the pointer at a place of an axis. */
function speedOf(at: number, start: number, end: number): number {
  const edge = Math.min(EDGE, (end - start) / 4);
  const before = Math.max(0, start + edge - at);
  const after = Math.max(0, at - (end - edge));
  return Math.round(FASTEST * (Math.min(1, after / edge) - Math.min(1, before / edge)));
}
