// The cost of a turn on the main thread without the environment's answer. It must not depend on the number of earlier
// turns.
import { mainThreadSeconds } from './main-thread-seconds.js';
import { median } from '../sides/median.js';
import { printLine } from './print-line.js';

const lengths = [10, 50, 200];
/** Number of turns in every collection, for every length of episodes. */
const allTurns = 3200;
const inFlight = 16;
/** Maximum ratio of the cost of a turn, longest to middle episodes, if generation takes no time. */
const goal = 1.2;

/** @returns whether the goal is reached */
export async function measureHost(collector, { rounds }) {
  console.log(`\nmicroseconds of the main thread a turn, without the environment's; ${inFlight} in flight`);
  const { model } = collector;
  const kinds = [
    { name: 'a policy that says 25', model: monotonous(model), rounds: 5 * rounds },
    { name: 'the transformer', model, rounds },
  ];
  printLine('', ...lengths.map((turns) => `${turns} turns`), '200 / 50');
  const growth = [];
  for (const kind of kinds) {
    const costs = await measureLengths(collector, kind);
    growth.push(costs[2] / costs[1]);
    printLine(kind.name, ...costs.map((cost) => (1e6 * cost).toFixed(1)), growth.at(-1).toFixed(2));
  }
  const reached = growth[0] <= goal;
  console.log(`200 / 50 of the first: goal ${goal.toFixed(2)}${reached ? '' : ' MISSED'}`);
  return reached;
}

/** Median seconds per turn, for each length of episodes. */
async function measureLengths(collector, { model, rounds }) {
  const costs = lengths.map(() => []);
  const environments = [];
  try {
    for (const turns of lengths) environments.push(await collector.environment({ turns }));
    for (let round = -1; round < rounds; round += 1) {
      for (const [index, turns] of lengths.entries()) {
        const before = mainThreadSeconds();
        const sizes = { episodes: allTurns / turns, turns, inFlight, model };
        const { inEnvironment } = await collector.play(environments[index], sizes);
        // The first round compiles.
        if (round >= 0) costs[index].push((mainThreadSeconds() - before - inEnvironment) / allTurns);
      }
    }
  } finally {
    for (const environment of environments) await environment.pool.dispose();
  }
  return costs.map(median);
}

/** A policy with the same tokens that always gives the same answer immediately. */
function monotonous({ encoder, capabilities }) {
  const tokens = [...encoder.encodeAction('25'), encoder.endIds[0]];
  const answer = { tokens, logprobs: tokens.map(() => -1), ended: true };
  return {
    encoder,
    capabilities,
    policyVersion: 0,
    generate: (requests) => Promise.resolve(requests.map(() => answer)),
    release: () => undefined,
  };
}
