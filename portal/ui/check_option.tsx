import { Checkbox } from "react-aria-components";

/** One of several options that may be chosen together. */
export function CheckOption({ value, label }: { value: string; label: string }) {
  return <Checkbox value={value} className="option">{label}</Checkbox>;
}
