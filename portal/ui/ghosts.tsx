/** Stands where rows will be as soon as they are read, so that the page doesn't look empty. */
export function Ghosts({ rows, tall = false }: { rows: number; tall?: boolean }) {
  return (
    <div className="ghosts" aria-busy="true">
      {Array.from(
        { length: rows },
        (_, at) => <div key={at} className={tall ? "ghost-line tall" : "ghost-line"} />,
      )}
    </div>
  );
}
