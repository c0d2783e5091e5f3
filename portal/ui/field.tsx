import { type ReactNode, useEffect, useRef } from "react";
import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
  type ValidationResult,
} from "react-aria-components";
import { problems } from "../words/app.ts";
import { problemOf } from "./lengths.ts";

interface Props extends TextFieldProps {
  label: string;
  hint?: string;
  placeholder?: string;
  /** The lines of the field, for a longer text. */
  rows?: number;
}

/**
 * A labelled text with its hint and its error. Its length is checked here, because a browser counts
 * other characters than the service, and cuts a text that is too long without a word.
 */
export function Field({ label, hint, placeholder, rows, minLength, maxLength, ...props }: Props) {
  const shown = placeholder === undefined ? {} : { placeholder };
  const { isRequired } = props;
  return (
    <TextField
      validate={(text) => problemOf(text, { isRequired, minLength, maxLength })}
      {...props}
      className="field"
    >
      <Label>{label}</Label>
      {rows ? <TextArea rows={rows} dir="auto" {...shown} /> : <Input dir="auto" {...shown} />}
      {hint && <Text slot="description" className="hint">{hint}</Text>}
      <KeptHeight>
        <FieldError>{sentencesOf}</FieldError>
      </KeptHeight>
    </TextField>
  );
}

/** The browser's own sentences are in its language and its tone, so they are replaced. */
function sentencesOf({ validationDetails: details, validationErrors }: ValidationResult): string {
  if (details.valueMissing) return problems.missing;
  if (details.typeMismatch || details.patternMismatch) return problems.form;
  if (details.badInput || details.stepMismatch) return problems.number;
  return validationErrors.join(" ");
}

/**
 * Keeps the height of an error after the error is gone. A field loses its error at the press of the
 * button below it. The button would move away before the pointer is let go, and nothing would be
 * sent.
 */
function KeptHeight({ children }: { children: ReactNode }) {
  const slot = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = slot.current!;
    const seen = new ResizeObserver(() => {
      if (element.offsetHeight > 0) element.style.minHeight = `${element.offsetHeight}px`;
    });
    seen.observe(element);
    return () => seen.disconnect();
  }, []);
  return <div ref={slot} className="field-problem">{children}</div>;
}
