import { printForeign } from '../sides/print-rows.js';

const mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const seconds = (number) => `${number.toFixed(2)} s`;

/** The table of sides that alternated. */
export function printSides(sides, foreignCores) {
  const line = (...cells) => console.log(cells.map((cell, i) => (i ? cell.padStart(14) : cell.padEnd(28))).join(''));
  console.log();
  line('', 'iteration', 'rollout', 'update', 'CPU', 'peak memory');
  for (const side of sides) {
    const times = ['seconds', 'rollout', 'update', 'cpu'].map((key) => seconds(side[key]));
    line(side.name, ...times, mebibytes(side.peakBytes));
  }
  printForeign(foreignCores);
  console.log();
}

/** A goal, and where time and memory go if it is missed. */
export function describeCheck({ what, ours, theirs, ratio, goal }) {
  const where = [ours, theirs].map(
    (side) => `${side.name} ${what === 'seconds' ? parts(side) : mebibytes(side[what])}`,
  );
  const verdict = ratio <= goal ? '' : `, missed: ${where.join('; ')}`;
  const name = what === 'seconds' ? 'Seconds' : 'Peak memory';
  return `${name} beside the fastest, ${theirs.name}: ${ratio.toFixed(2)} (goal ${goal}${verdict})`;
}

function parts({ rollout, update }) {
  return `rollout ${seconds(rollout)}, update ${seconds(update)}`;
}
