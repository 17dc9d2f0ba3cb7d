import { element, replaceChildren } from './element.js';
import type { ChartOptions } from './chart-options.js';
import { lineChart, type LineChart } from './line-chart.js';

/** Charts under one heading. */
export interface ChartGrid {
  readonly node: HTMLElement;
  /** A chart with the same title keeps its place, its cursor and the focus. */
  readonly draw: (charts: readonly ChartOptions[]) => void;
}

/** `title`: empty for charts without a heading. */
export function chartGrid(title: string): ChartGrid {
  let charts = new Map<string, LineChart>();
  const grid = element('div.charts');
  const node = element('div', { class: title === '' ? 'foremost' : '' }, title !== '' && element('h3', title), grid);
  return {
    node,
    draw(wanted) {
      const before = charts;
      charts = new Map();
      for (const options of wanted) {
        const known = before.get(options.title);
        before.delete(options.title);
        known?.update(options);
        charts.set(options.title, known ?? lineChart(options));
      }
      for (const chart of before.values()) chart.dispose();
      const nodes = [...charts.values()].map((chart) => chart.node);
      // A node loses the focus if it is removed and put back.
      const isSame = nodes.length === grid.children.length && nodes.every((one, i) => one === grid.children[i]);
      if (!isSame) replaceChildren(grid, ...nodes);
    },
  };
}
