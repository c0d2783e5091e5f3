import { useState } from "react";

/** Ids of the tickets that are selected. */
export function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  return {
    selected,
    clear: () => setSelected(new Set()),
    toggle: (id: string) =>
      setSelected((old) => {
        const next = new Set(old);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    /** The last one that was selected, from which a range goes. */
    last: [...selected].at(-1),
    add: (ids: string[]) => setSelected((old) => new Set([...old, ...ids])),
  };
}
