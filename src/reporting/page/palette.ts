/** The current value of a CSS variable. */
export function themeColour(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

/** Calls the listener when the colours change for another scheme or for print, until the signal is aborted. */
export function onThemeChange(listener: () => void, signal: AbortSignal): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', listener, { signal });
  matchMedia('print').addEventListener('change', listener, { signal });
}
