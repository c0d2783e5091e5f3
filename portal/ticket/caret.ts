/** Styles that decide at which place a text field draws a character. */
const STYLES = [
  "fontFamily",
  "fontSize",
  "fontWeight",
  "lineHeight",
  "letterSpacing",
  "wordSpacing",
  "textIndent",
  "tabSize",
  "direction",
  "paddingTop",
  "paddingRight",
  "paddingBottom",
  "paddingLeft",
  "borderTopWidth",
  "borderRightWidth",
  "borderBottomWidth",
  "borderLeftWidth",
] as const;

/**
 * Returns the place of a character of a text field in the window, with the height of its line. A
 * browser tells it only of other elements, so a hidden copy of the field is measured.
 */
export function placeOf(field: HTMLTextAreaElement, at: number) {
  const [copy, mark] = [document.createElement("div"), document.createElement("span")];
  const style = getComputedStyle(field);
  for (const name of STYLES) copy.style[name] = style[name];
  Object.assign(copy.style, {
    position: "absolute",
    visibility: "hidden",
    top: "0",
    left: "0",
    boxSizing: "border-box",
    borderStyle: "solid",
    width: `${field.offsetWidth}px`,
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
  });
  mark.textContent = field.value.slice(at, at + 1) || "@";
  copy.append(field.value.slice(0, at), mark, field.value.slice(at + 1));
  field.after(copy);
  const { top, left } = field.getBoundingClientRect();
  const place = {
    top: top + mark.offsetTop - field.scrollTop,
    left: left + mark.offsetLeft,
    height: mark.offsetHeight,
  };
  copy.remove();
  return place;
}
