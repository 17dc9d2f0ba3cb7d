// What the comparisons of all worlds share.
import { median } from '../sides/median.js';
import { PeerProcess } from '../sides/peer-process.js';
import { pythonWith } from '../sides/python-environment.js';

/** JavaScript is compiled while it runs, and trainings run for hours. */
const warmUpMilliseconds = 2000;

/** The Python side; undefined, with a line that says so, where it cannot be installed. */
export async function startPeer(name, requirements, script, given) {
  try {
    return await PeerProcess.start(pythonWith(name, requirements, given), script);
  } catch (error) {
    console.log(`skipped: ${requirements[0]} cannot be installed here (${error.message}). It was not compared.`);
    return undefined;
  }
}

export async function warmUp(play) {
  const begun = performance.now();
  do await play();
  while (performance.now() - begun < warmUpMilliseconds);
}

/**
 * Plays both sides in turn. Each answers with seconds (`step`, `reset`) and counts (`steps`, `resets`); the rows have the
 * medians of their rates.
 */
export async function compareRates({ playOurs, playTheirs }, rounds, { setting, backend, goal }) {
  const measured = [];
  for (let round = 0; round < rounds; round += 1) measured.push({ ours: playOurs(), theirs: await playTheirs() });
  return ['step', 'reset'].map((what) => {
    const rate = (side) => median(measured.map((one) => one[side][`${what}s`] / one[side][what]));
    const [ours, theirs] = [rate('ours'), rate('theirs')];
    return { setting, backend, what: `${what}s/s`, ours, theirs, ratio: ours / theirs, goal };
  });
}

/** Sums of all numbers of measurements. */
export function total(parts) {
  const keys = ['reset', 'resets', 'step', 'steps'];
  return Object.fromEntries(keys.map((key) => [key, parts.reduce((sum, part) => sum + part[key], 0)]));
}
