import { type ReactNode, useId } from "react";

interface Props {
  title: string;
  /** The section's id, for links that end in # and this id. */
  id?: string;
  hint?: ReactNode;
  children: ReactNode;
}

/** A titled part of a page of settings. */
export function Section({ title, id, hint, children }: Props) {
  const heading = useId();
  return (
    <section className="section" id={id} aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        {hint && <p className="hint">{hint}</p>}
      </header>
      {children}
    </section>
  );
}
