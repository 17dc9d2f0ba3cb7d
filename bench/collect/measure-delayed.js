// Environments that answer slowly: compares free collection with waves, and with the same durations if no episode waits
// for the `generate` call of another.
import { bestSchedule, leastTime, listSchedule } from './best-schedule.js';
import { median } from '../sides/median.js';
import { printLine } from './print-line.js';

const delay = 50;
const sigma = 1;
/** Maximum ratio to the time of the schedule in order. */
const goal = 1.1;
/** Number of episodes played one at a time, to measure `generate` alone. */
const soloists = 5;

/** Every round draws new delays, the same for both kinds of collection. @returns whether the goal is reached */
export async function measureDelayed(collector, { episodes, turns, inFlight, rounds }) {
  const alone = await generateAlone(collector, turns);
  console.log(
    `\n${episodes} episodes of ${turns} turns, ${inFlight} in flight, delays log-normal with mean ${delay} ms and sigma ${sigma}; seconds`,
  );
  const [first, middle, last] = [alone[0], median(alone), alone.at(-1)].map((seconds) => (1000 * seconds).toFixed(2));
  console.log(`generate alone: ${first} ms in the first turn, ${last} ms in the last, median ${middle} ms`);
  printLine('round', 'waves', 'free', 'in order', 'best', 'least', 'free/order', 'free/best', 'order/best', 'batch');
  const environment = await collector.environment({ turns, delay, sigma });
  const results = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const play = (collection) => collector.play(environment, { collection, episodes, turns, inFlight, seed: round });
      const free = await play('free');
      const waves = await play('waves');
      if (JSON.stringify(free.episodes) !== JSON.stringify(waves.episodes)) {
        throw new Error('free collection played other episodes than waves');
      }
      const durations = free.episodes.map((episode) => durationOf(episode, alone));
      const result = {
        waves: waves.seconds,
        free: free.seconds,
        inOrder: listSchedule(durations, inFlight),
        best: bestSchedule(durations, inFlight),
        least: leastTime(durations, inFlight),
        batch: (episodes * turns) / free.generate.length,
      };
      results.push(result);
      printResult(String(round), result);
    }
  } finally {
    await environment.pool.dispose();
  }
  const fastest = Math.min(...results.map(({ free }) => free));
  const ratio = median(results.map(({ free, inOrder }) => free / inOrder));
  const best = median(results.map((result) => result.free / result.best));
  const verdict = ratio <= goal ? '' : ' MISSED';
  console.log(`free, median: ${ratio.toFixed(3)} of the schedule in order (goal ${goal.toFixed(2)}${verdict}),`);
  console.log(
    `${best.toFixed(3)} of the best, which begins the longest episodes first; fastest ${fastest.toFixed(2)} s`,
  );
  return ratio <= goal;
}

/** Median seconds of a `generate` call with one request, for each turn. */
async function generateAlone(collector, turns) {
  const environment = await collector.environment({ turns });
  try {
    const { generate } = await collector.play(environment, { episodes: soloists, turns, inFlight: 1 });
    // The first episode compiles.
    const calls = generate.slice(turns);
    return Array.from({ length: turns }, (_, turn) =>
      median(calls.filter((_, index) => index % turns === turn).map(({ seconds }) => seconds)),
    );
  } finally {
    await environment.pool.dispose();
  }
}

/** Seconds of an episode that never waits for others. */
function durationOf({ turns }, alone) {
  return turns.reduce((sum, { facts }, turn) => sum + facts.details.milliseconds / 1000 + alone[turn], 0);
}

function printResult(name, { waves, free, inOrder, best, least, batch }) {
  const seconds = [waves, free, inOrder, best, least].map((value) => value.toFixed(2));
  const ratios = [free / inOrder, free / best, inOrder / best].map((value) => value.toFixed(3));
  printLine(name, ...seconds, ...ratios, batch.toFixed(1));
}
