import { element, showNodes } from './element.js';
import type { ChartOptions } from './chart-options.js';
import { lineChart, type LineChart } from './line-chart.js';

/** Charts under one heading. `title`: empty for charts without a heading. */
export function chartGrid(title: string) {
  let charts = new Map<string, LineChart>();
  const grid = element('div.charts');
  const node = element('div', { class: title === '' ? 'foremost' : '' }, title !== '' && element('h3', title), grid);
  return {
    node,
    /** A chart with the same title keeps its place, its cursor and the focus. */
    draw(wanted: readonly ChartOptions[]) {
      const before = charts;
      charts = new Map();
      for (const options of wanted) {
        const known = before.get(options.title);
        before.delete(options.title);
        known?.update(options);
        charts.set(options.title, known ?? lineChart(options));
      }
      for (const chart of before.values()) chart.dispose();
      showNodes(
        grid,
        [...charts.values()].map((chart) => chart.node),
      );
    },
  };
}
