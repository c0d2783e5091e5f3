import { Button } from "react-aria-components";
import type { Outputs } from "../api/types.ts";
import { Warn } from "../ui/icons.tsx";
import { filters as words } from "../words/filters.ts";
import { replaceValue, writeName } from "./filter_text.ts";

interface Props {
  text: string;
  put: (text: string) => void;
  /** The service's sentence, if it can't read the text. */
  refusal: string | null;
  unrecognized: NonNullable<Outputs["tickets"]["count"]["unrecognized"]>;
}

/** Says which part of a filter can't be read, and offers the values that may be meant. */
export function FilterNotes({ text, put, refusal, unrecognized }: Props) {
  return (
    <div role="status" className="filter-notes">
      {refusal !== null && <p className="refusal">{refusal}</p>}
      {refusal === null && unrecognized.map(({ key, value, nearest }) => (
        <p key={`${key} ${value}`}>
          <Warn />
          <span className="clip" dir="auto">{words.unknown(key, value)}</span>
          {nearest.length > 0 && <span>{words.nearest}</span>}
          {nearest.map((name) => (
            <Button
              key={name}
              className="button"
              aria-label={words.use(name)}
              onPress={() => put(replaceValue(text, key, value, writeName(name)))}
            >
              {name}
            </Button>
          ))}
        </p>
      ))}
    </div>
  );
}
