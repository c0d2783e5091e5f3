import type { CSSProperties } from "react";

// A label has any color that somebody chose. Its name has to be readable on it, light and dark.

type Color = readonly [red: number, green: number, blue: number];

const WHITE: Color = [255, 255, 255];
const BLACK: Color = [0, 0, 0];
/** About the dark theme's surface. */
const DARK: Color = [32, 34, 40];
/** The least contrast of small text by WCAG 2.2 AA, and a little more because colors are rounded. */
const LEAST = 4.6;

/** The ground and the text of a label in one theme. */
export interface Inks {
  ground: string;
  text: string;
}

/** A quiet ground in the label's color, and the nearest shade of that color that can be read on it. */
export function inksOf(color: string): { light: Inks; dark: Inks } {
  const own = parse(color);
  return {
    light: inkOn(own, mix(own, WHITE, 0.14), BLACK),
    dark: inkOn(own, mix(own, DARK, 0.28), WHITE),
  };
}

const styles = new Map<string, CSSProperties>();

/** The style of a label. A board has many labels of few colors, so each is computed once. */
export function labelStyle(color: string): CSSProperties {
  let style = styles.get(color);
  if (!style) {
    const { light, dark } = inksOf(color);
    style = {
      background: `light-dark(${light.ground}, ${dark.ground})`,
      color: `light-dark(${light.text}, ${dark.text})`,
    };
    styles.set(color, style);
  }
  return style;
}

/** The contrast of two colors by WCAG. */
export function contrastOf(one: string, other: string): number {
  return contrast(parse(one), parse(other));
}

function inkOn(own: Color, ground: Color, end: Color): Inks {
  let text = own;
  for (let share = 0.95; contrast(text, ground) < LEAST && share >= 0; share -= 0.05) {
    text = mix(own, end, share);
  }
  return { ground: written(ground), text: written(text) };
}

function parse(color: string): Color {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16 & 255, value >> 8 & 255, value & 255];
}

function mix(one: Color, other: Color, share: number): Color {
  const part = (at: 0 | 1 | 2) => Math.round(one[at] * share + other[at] * (1 - share));
  return [part(0), part(1), part(2)];
}

function written([red, green, blue]: Color): string {
  return `#${((red << 16) + (green << 8) + blue).toString(16).padStart(6, "0")}`;
}

function contrast(one: Color, other: Color): number {
  const [high, low] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: Color): number {
  const [red, green, blue] = color.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
