// Prints src/levels/plan-lengths.ts: node scripts/measure-plans.js [SEEDS] > src/levels/plan-lengths.ts
import { generateLevel } from '../dist/levels/generate-level.js';
import { levels } from '../dist/levels/level-table.js';
import { NumpyGenerator } from '../dist/random/numpy-generator.js';
import { GridWorld } from '../dist/world/world.js';
import { solve } from '../dist/expert/solve.js';

const seeds = Number(process.argv[2] ?? 1000);

/** Actions of the plan for a seed; undefined if there is no level or no plan. */
function planLength(level, seed) {
  try {
    return solve(new GridWorld(generateLevel(level, new NumpyGenerator(seed)), 'fair'))?.length;
  } catch {
    return undefined;
  }
}

const rows = levels.map((level) => {
  const lengths = Array.from({ length: seeds }, (_, seed) => planLength(level, seed)).filter(Number);
  return `  ${level.name}: ${(lengths.reduce((sum, length) => sum + length, 0) / lengths.length).toFixed(1)},`;
});
console.log(`/** Low-level actions of the oracle's plan on average, over the seeds 0 to ${seeds - 1}; made by scripts/measure-plans.js. */
export const planLengths: Readonly<Record<string, number>> = {
${rows.join('\n')}
};`);
