import { type ReactNode, useId } from "react";

interface Props {
  title: string;
  hint?: ReactNode;
  children: ReactNode;
}

/** A titled part of a page of settings. */
export function Section({ title, hint, children }: Props) {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {hint && <p className="hint">{hint}</p>}
      </header>
      {children}
    </section>
  );
}
