// How often 95 % intervals cover the difference of two cells: `npm run bench -- intervals [--runs N]`. The simulated
// cells have no difference (simulate-cells.js). Prints the table of docs/decisions/intervals.md.
import { parseArgs } from 'node:util';

import { createRandom } from '../../dist/random/create-random.js';
import { clusterBootstrapInterval } from '../../dist/statistics/cluster-bootstrap.js';
import { crossedDifference } from '../../dist/statistics/crossed-difference.js';
import { pairedDifferences } from '../../dist/statistics/outcome-matrix.js';
import { studentT95 } from '../../dist/statistics/student-t.js';
import { tInterval } from '../../dist/statistics/t-interval.js';
import { hierarchicalBootstrapDifference } from './hierarchical-bootstrap.js';
import { simulateCells } from './simulate-cells.js';

const layouts = [
  ['100', Array.from({ length: 100 }, () => 1)],
  ['20 x 1..9', Array.from({ length: 20 }, (_, cluster) => 1 + 2 * (cluster % 5))],
];
const common = { habit: 0.3, clusterDifficulty: 1.2, taskDifficulty: 0.9 };
/** Pairs: the effect of seeds, and the effect of cells on tasks. */
const worlds = [
  [0, 0],
  [0.1, 0],
  [0.3, 0.3],
  [1, 0.3],
  [0.3, 1],
];
const resamples = 200;

/** Returns the exit code. */
export function measure(argv) {
  const { values } = parseArgs({ args: argv, options: { runs: { type: 'string', default: '2000' } } });
  const runs = Number(values.runs);
  if (!(Number.isInteger(runs) && runs > 0)) {
    console.error('Usage: npm run bench -- intervals [--runs N]');
    return 2;
  }
  console.log(
    '| seeds | tasks | effect of seeds, of cells on tasks | crossed | narrow ones | textbook | t over seeds | tasks alone | bootstrap over seeds | in two stages |',
  );
  console.log('| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const seeds of [3, 5, 10]) {
    for (const [layout, clusters] of layouts) {
      for (const [seedEffect, preference] of worlds) {
        const cells = [0.2, 0.6, 0.9].map((rate) => ({ ...common, seeds, clusters, rate, seedEffect, preference }));
        const all = cells.map((one) => coverage(one, runs));
        console.log(`| ${seeds} | ${layout} | ${seedEffect}, ${preference} | ${columns(all).join(' | ')} |`);
      }
    }
  }
  return 0;
}

/** Each method's coverage in percent: the range over the success rates. */
function columns(all) {
  const range = (shares) => {
    const [least, most] = [Math.min(...shares), Math.max(...shares)].map((share) => (100 * share).toFixed(1));
    return least === most ? least : `${least} to ${most}`;
  };
  const { narrow, ofNarrow, covered } = all.reduce((one, two) => ({
    narrow: one.narrow + two.narrow,
    ofNarrow: one.ofNarrow + two.ofNarrow,
    covered: one.covered,
  }));
  const runs = all.reduce((sum, { runs: count }) => sum + count, 0);
  const share = ((100 * narrow) / runs).toFixed(0);
  const narrowOnes = share === '0' ? share : `${share}, of which ${((100 * ofNarrow) / narrow).toFixed(0)}`;
  const [crossed, ...others] = Object.keys(covered).map((name) =>
    range(all.map((one) => one.covered[name] / one.runs)),
  );
  return [crossed, narrowOnes, ...others];
}

function coverage(cells, runs) {
  const random = createRandom(2).stream(
    cells.seeds,
    cells.clusters.length,
    cells.rate,
    cells.seedEffect,
    cells.preference,
  );
  const options = { weights: cells.clusters, bounds: [0, 1] };
  const total = cells.clusters.reduce((sum, size) => sum + size, 0);
  const names = Array.from({ length: cells.seeds }, (_, seed) => String(seed));
  const covered = { crossed: 0, textbook: 0, seeds: 0, tasks: 0, bootstrap: 0, stages: 0 };
  let [narrow, ofNarrow] = [0, 0];
  const tally = (name, { low, high }) => {
    if (low <= 0 && 0 <= high) covered[name] += 1;
  };
  for (let run = 0; run < runs; run += 1) {
    const { first, second } = simulateCells(cells, random.stream('cells', run));
    const crossed = crossedDifference(first, second, options);
    tally('crossed', crossed);
    if (crossed.estimate.narrow) {
      narrow += 1;
      ofNarrow += Number(crossed.low <= 0 && 0 <= crossed.high);
    }
    const { textbook, tasks } = alternatives(crossed.estimate);
    tally('textbook', textbook);
    tally('tasks', tasks);
    const bySeed = pairedDifferences(first, second).map((row) =>
      row.reduce((sum, outcome, cluster) => sum + (outcome * cells.clusters[cluster]) / total, 0),
    );
    tally('seeds', tInterval(bySeed));
    tally('bootstrap', clusterBootstrapInterval(bySeed, names, random.stream('seeds', run), resamples));
    // This method takes a hundred times as long as the others.
    if (run % 10 === 0) {
      const stages = { weights: cells.clusters, resamples };
      tally('stages', hierarchicalBootstrapDifference(first, second, random.stream('stages', run), stages));
    }
  }
  covered.stages *= runs / Math.ceil(runs / 10);
  return { covered, runs, narrow, ofNarrow };
}

/**
 * Intervals by other methods: `textbook` has no negative components and Satterthwaite's degrees of freedom; for
 * `tasks`, seeds are not a sample.
 */
function alternatives({ mean, seeds, tasks, components: { seed, task, rest } }) {
  const around = (variance, degrees) => {
    const half = studentT95(Math.max(1, degrees)) * Math.sqrt(variance);
    return { low: mean - half, high: mean + half };
  };
  const [bySeeds, byTasks] = [tasks * seed + rest, seeds * task + rest];
  const total = bySeeds + byTasks - rest;
  const noise =
    (seed > 0 ? bySeeds ** 2 / (seeds - 1) : 0) +
    (task > 0 ? byTasks ** 2 / (tasks - 1) : 0) +
    (seed > 0 === task > 0 ? rest ** 2 / ((seeds - 1) * (tasks - 1)) : 0);
  return {
    textbook: around(total / (seeds * tasks), noise === 0 ? 1 : total ** 2 / noise),
    tasks: around(byTasks / (seeds * tasks), tasks - 1),
  };
}
