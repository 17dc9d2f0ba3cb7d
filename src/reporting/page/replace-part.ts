/** Replaces a part of the page with a new version: unfolded parts stay unfolded, and a heading keeps the focus. */
export function replacePart(old: HTMLElement, made: HTMLElement): void {
  const summaries = (part: HTMLElement) =>
    new Map([...part.querySelectorAll('summary')].map((summary) => [summary.textContent, summary]));
  const [before, after] = [summaries(old), summaries(made)];
  const focused = [...before].find(([, summary]) => summary === document.activeElement)?.[0];
  for (const [text, summary] of before) {
    const details = after.get(text)?.closest('details');
    if (details && summary.closest('details')?.open === true) details.open = true;
  }
  old.replaceWith(made);
  if (focused !== undefined) after.get(focused)?.focus({ preventScroll: true });
}
