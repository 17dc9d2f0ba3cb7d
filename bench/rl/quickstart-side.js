// The quickstart's recipe on our side: supervised fine-tuning to a start that both sides share, then single iterations
// of GRPO.
import { mkdirSync } from 'node:fs';

import { acceptRecipe, resolveRecipe } from '../../dist/config/resolve-recipe.js';
import { makeParts } from '../../dist/experiments/make-parts.js';
import { trainStage } from '../../dist/experiments/train-stage.js';
import { nothingSpent } from '../../dist/training/spending.js';
import { hostSettings, root } from '../sides/our-side.js';
import { processorSeconds } from '../sides/processor-seconds.js';

/** The parts of the recipe, with other numbers of threads and of rl steps. */
export function openQuickstart(host, { steps, ...options }) {
  const sets = Object.entries(options).map(([name, value]) => `policy.options.${name}=${value}`);
  return openTraining(host, 'recipes/quickstart/recipe.yaml', [...sets, `stages.rl.steps=${steps}`]);
}

/** The parts of a recipe, with some values changed as by `--set`. */
export async function openTraining(host, source, sets) {
  const { recipe, plan } = acceptRecipe(await resolveRecipe({ source, sets, cwd: root, host }));
  const settings = hostSettings(recipe.seed);
  const parts = await makeParts(plan, host, settings);
  const clock = {};
  time(parts.policy, clock, ['generate', 'forwardBackward', 'optimizerStep']);
  const stage = (name, onStep) =>
    trainStage({
      stage: plan.stages.find((stage) => stage.name === name),
      plan,
      parts,
      journal: { metrics: onStep, episodes() {}, checkpoint() {}, event() {}, saveBeside() {} },
      evaluator: { during: () => undefined },
      random: settings.random,
      signal: settings.signal,
      spent: nothingSpent(parts.policy, false),
    });
  return {
    recipe,
    parts,
    clock,
    stage,
    dispose: () => Promise.all([parts.environment.pool.dispose(), parts.policy.dispose()]),
  };
}

/** Trains the sft stage and saves the policy. */
export async function saveStart(quickstart, folder) {
  mkdirSync(folder, { recursive: true });
  await quickstart.stage('sft', () => undefined);
  await quickstart.parts.policy.save(folder);
}

/** Runs the rl stage. After each iteration it awaits `between` with the seconds of the iteration and of its parts. */
export async function iterate(quickstart, between) {
  const { clock } = quickstart;
  let before = process.cpuUsage();
  await quickstart.stage('rl', async ({ metrics }) => {
    const rollout = metrics['time/collect_seconds'];
    const update = metrics['time/update_seconds'];
    const inModel = { ...clock };
    for (const name of Object.keys(clock)) clock[name] = 0;
    const cpu = processorSeconds(before);
    await between({ seconds: rollout + update, cpu, rollout, update, inModel, success: metrics['rollout/success'] });
    before = process.cpuUsage();
  });
}

/** Adds to `clock` the seconds in which a call of the method runs, or several at the same time. */
function time(policy, clock, names) {
  for (const name of names) {
    const original = policy[name].bind(policy);
    let running = 0;
    let since = 0;
    clock[name] = 0;
    policy[name] = async (...parameters) => {
      if (running++ === 0) since = performance.now();
      try {
        return await original(...parameters);
      } finally {
        if (--running === 0) clock[name] += (performance.now() - since) / 1000;
      }
    };
  }
}
