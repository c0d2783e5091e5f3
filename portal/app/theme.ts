const KEY = "handoff.theme";
export type Theme = "system" | "light" | "dark";

export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Sets the colours from now on. The page itself sets them before it is first painted. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset["theme"] = theme;
}
