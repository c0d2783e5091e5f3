import { Button } from "react-aria-components";
import { Field } from "../ui/field.tsx";
import { RowText } from "../ui/rows.tsx";
import { people as words } from "../words/app.ts";

interface Named {
  id: string;
  name: string;
  email?: string | null;
}

interface Props {
  label: string;
  /** The word on each person's button. */
  act: string;
  typed: string;
  type: (typed: string) => void;
  found: Named[];
  hasMore: boolean;
  isPending: boolean;
  choose: (id: string) => void;
}

/** Finds people as their name is typed, and lets one of them be chosen. */
export function PersonChooser({ label, act, typed, type, found, hasMore, isPending, choose }: Props) {
  const isNobody = typed.trim() !== "" && !isPending && found.length === 0;
  return (
    <div className="chooser">
      <Field label={label} value={typed} onChange={type} autoComplete="off" />
      <ul className="rows" aria-label={words.found}>
        {found.map(({ id, name, email }) => (
          <li key={id}>
            <RowText name={name}>{email}</RowText>
            <Button
              className="button"
              aria-label={`${act}: ${name}${email ? ` (${email})` : ""}`}
              onPress={() => choose(id)}
            >
              {act}
            </Button>
          </li>
        ))}
      </ul>
      <p role="status" className="hint">{hasMore ? words.more : isNobody ? words.nobody : ""}</p>
    </div>
  );
}
