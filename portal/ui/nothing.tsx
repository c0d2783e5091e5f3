import type { ReactNode } from "react";
import { Check } from "./icons.tsx";

/** Says that a list has nothing, and what comes there. */
export function Nothing(
  { title, hint, icon = <Check /> }: { title: string; hint: string; icon?: ReactNode },
) {
  return (
    <div className="nothing">
      <span className="nothing-mark" aria-hidden="true">{icon}</span>
      <h2>{title}</h2>
      <p>{hint}</p>
    </div>
  );
}
