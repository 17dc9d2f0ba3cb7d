const widths = [50, 22, 22, 8, 14, 11];

/** A row of a table: both sides, the ratio of their times, and the highest ratio that is wanted. */
export function rowOf(name, sides, { goal, format, peer }) {
  const [ours, theirs] = [sides.get('ours'), sides.get(peer)];
  const ratio = ours.seconds / theirs.seconds;
  const cpuRatio = ours.cpuAlone === undefined ? undefined : ours.cpuAlone / theirs.cpuAlone;
  return { name, ours, theirs, ratio, cpuRatio, goal, text: [format(ours.seconds), format(theirs.seconds)] };
}

/** @param compares whether both sides were measured on one thread, too */
export function printRows(rows, { head, compares, foreignCores }) {
  printHead(head, compares);
  for (const row of rows) printRow(row);
  printForeign(foreignCores);
}

/** What stands above the rows. @param compares whether both sides were measured on one thread, too */
export function printHead(head, compares) {
  console.log(head);
  if (compares) {
    console.log('The CPU ratio compares the processor time of both on one thread, which a busy machine disturbs less.');
  }
  console.log();
  line('', 'agentgym', 'peer', 'ratio', 'goal', compares ? 'CPU ratio' : '');
}

export function printRow({ name, ours, theirs, ratio, cpuRatio, goal, text }) {
  const verdict = goal === undefined ? '' : `${goal.toFixed(2)}${ratio <= goal ? '' : ' missed'}`;
  const sides = [`${text[0]} (${ours.threads})`, `${text[1]} (${theirs.threads})`];
  line(name, ...sides, ratio.toFixed(2), verdict, cpuRatio === undefined ? '' : cpuRatio.toFixed(2));
}

/** @param foreignCores undefined where it is not known */
export function printForeign(foreignCores) {
  if (foreignCores !== undefined) console.log(`\nOthers used ${foreignCores.toFixed(2)} cores meanwhile.`);
}

/** 1 if a goal is missed. */
export function exitCodeOf(rows) {
  return rows.every(({ ratio, goal = Infinity }) => ratio <= goal) ? 0 : 1;
}

export const milliseconds = (seconds) => `${(1000 * seconds).toFixed(1)} ms`;
export const tokensPerSecond = (tokens) => (seconds) => `${Math.round(tokens / seconds).toLocaleString('en')} tok/s`;

function line(name, ...cells) {
  console.log([name.padEnd(widths[0]), ...cells.map((cell, i) => cell.padStart(widths[i + 1]))].join(''));
}
