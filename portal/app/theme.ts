const KEY = "handoff.theme";
export type Theme = "system" | "light" | "dark";

export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function applyTheme(theme = readTheme()): void {
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset["theme"] = theme;
}
