/** A table with a higher row, in CSS pixels, is unreadable: about five lines of text. */
const highestRow = 130;

/**
 * Shows the rows of a table as cards if its columns are wider than its place, or so narrow that a row has many lines.
 * Call it after tables were added or changed.
 */
export function fitTables(root: ParentNode): void {
  // In some browsers, tables in folded parts have no width. They are fitted when their part is unfolded.
  const tables = [...root.querySelectorAll('table')].filter(({ offsetWidth }) => offsetWidth > 0);
  const probes = tables.map(probeOf);
  for (const [i, table] of tables.entries()) table.after(probes[i] as Node);
  const places = tables.map(({ parentElement }) => parentElement?.clientWidth ?? 0);
  const widths = probes.map(({ offsetWidth }) => offsetWidth);
  for (const [i, probe] of probes.entries()) probe.style.width = `${places[i]}px`;
  const heights = probes.map(({ rows }) => Math.max(0, ...[...rows].map(({ offsetHeight }) => offsetHeight)));
  for (const probe of probes) probe.remove();
  for (const [i, table] of tables.entries())
    table.classList.toggle('cards', widths[i]! > places[i]! || heights[i]! > highestRow);
}

/** Fits all tables when the window gets another width, and when a part is unfolded. */
export function keepTablesFitting(): void {
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === width) return;
    width = innerWidth;
    fitTables(document);
  });
  // This event does not bubble.
  document.addEventListener('toggle', ({ target }) => target instanceof Element && fitTables(target), true);
}

/**
 * A copy that is as narrow as its columns allow. The table itself keeps its shape while it is measured: a page that
 * became shorter for a moment would scroll.
 */
function probeOf(table: HTMLTableElement): HTMLTableElement {
  const probe = table.cloneNode(true) as HTMLTableElement;
  probe.classList.remove('cards');
  probe.classList.add('probe');
  return probe;
}
