import { labelStyle } from "./label_colors.ts";

interface Named {
  name: string;
  color: string;
}

/** A label in its color. */
export function LabelTag({ label: { name, color } }: { label: Named }) {
  return <span className="label-tag" style={labelStyle(color)} dir="auto">{name}</span>;
}

/** The color of a label beside its name. */
export function LabelDot({ color }: { color: string }) {
  return <span className="label-dot" aria-hidden="true" style={{ background: color }} />;
}
