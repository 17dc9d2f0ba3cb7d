// Environments that answer immediately: compares free collection and threads with waves on the main thread.
import { median } from '../sides/median.js';
import { printLine } from './print-line.js';

const variants = [
  { name: 'waves', collection: 'waves', play: { thread: 'main' } },
  { name: 'free', collection: 'free', play: { thread: 'main' }, goal: 0.97 },
  { name: 'free, 1 worker', collection: 'free', play: { thread: 'worker', workers: 1 }, goal: 0.7 },
  { name: 'free, 2 workers', collection: 'free', play: { thread: 'worker', workers: 2 }, goal: 0.7 },
];

/** Each round measures all variants and starts with another one. @returns whether the goals are reached */
export async function measureInstant(collector, { episodes, turns, inFlight, rounds }) {
  console.log(`\n${episodes} episodes of ${turns} turns, ${inFlight} in flight, environments that answer at once`);
  const opened = [];
  try {
    for (const variant of variants) {
      opened.push({ ...variant, environment: await collector.environment({ turns }, variant.play), results: [] });
    }
    const play = ({ environment, collection }) =>
      collector.play(environment, { collection, episodes, turns, inFlight });
    // A first round that does not count starts threads and compiles code.
    for (const variant of opened) await play(variant);
    for (let round = 0; round < rounds; round += 1) {
      const order = opened.map((_, index) => opened[(round + index) % opened.length]);
      for (const variant of order) variant.results.push(await play(variant));
    }
  } finally {
    for (const { environment } of opened) await environment.pool.dispose();
  }
  printLine('', 'turns/s', 'of waves', 'goal', 'CPU s', 'batch');
  return opened.map((variant) => report(variant, opened[0], episodes * turns)).every((reached) => reached);
}

/** Prints a variant. @returns whether its goal is reached; true if it has none */
function report({ name, goal, results }, waves, turns) {
  const rate = median(results.map(({ seconds }) => turns / seconds));
  // Compares results of the same round, so that a slow period of the machine affects both.
  const ratio = median(results.map(({ seconds }, round) => waves.results[round].seconds / seconds));
  const reached = goal === undefined || ratio >= goal;
  const verdict = goal === undefined ? '' : `${goal.toFixed(2)}${reached ? '' : ' MISSED'}`;
  const processor = median(results.map(({ processor }) => processor));
  const batch = median(results.map(({ generate }) => turns / generate.length));
  printLine(name, rate.toFixed(0), ratio.toFixed(2), verdict, processor.toFixed(2), batch.toFixed(1));
  return reached;
}
