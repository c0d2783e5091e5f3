import { Robot } from "./icons.tsx";

/** A person by their initials, or an agent. */
export function Avatar({ name, isAgent = false }: { name: string; isAgent?: boolean }) {
  const initials = name.trim().split(/\s+/).slice(0, 2).map((part) => [...part][0] ?? "").join("")
    .toUpperCase();
  return (
    <span className={`avatar${isAgent ? " agent" : ""}`} aria-hidden="true">
      {isAgent ? <Robot /> : initials}
    </span>
  );
}
