import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from "react-aria-components";

interface Props extends TextFieldProps {
  label: string;
  hint?: string;
  placeholder?: string;
  /** The lines of the field, for a longer text. */
  rows?: number;
}

/** A labelled text with its hint and its error. */
export function Field({ label, hint, placeholder, rows, ...props }: Props) {
  const shown = placeholder === undefined ? {} : { placeholder };
  return (
    <TextField {...props} className="field">
      <Label>{label}</Label>
      {rows ? <TextArea rows={rows} {...shown} /> : <Input {...shown} />}
      {hint && <Text slot="description" className="hint">{hint}</Text>}
      <FieldError />
    </TextField>
  );
}
