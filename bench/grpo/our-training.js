// Trains the recipe's rl stage with a model from a folder, and writes what was generated and trained on, so that another
// program can do the same work.
//   node our-training.js FOLDER STEPS WORK_FILE
import { writeFileSync } from 'node:fs';

import { cutByTokens, trainedUnits } from '../../plugins/policy-transformer/dist/worker/batch-rows.js';
import { openHost } from '../sides/our-side.js';
import { iterate, openTraining } from '../rl/quickstart-side.js';

const [folder, steps, workFile] = process.argv.slice(2);
const plugins = ['env-textcraft', 'reward-standard', 'format-standard', 'algo-grpo', 'policy-transformer'];
const host = await openHost(plugins);
const training = await openTraining(host, 'bench/grpo/recipe.yaml', [
  `policy.from=${folder}`,
  `stages.rl.steps=${steps}`,
]);
const { policy } = training.parts;
const { microBatchTokens } = training.recipe.policy.options;
const work = [];
let step = { turns: [], batches: [] };
record('generate', (requests, answers) => {
  const turns = requests.map(({ sequence, tokens }, row) => ({
    sequence,
    tokens: [...tokens],
    fresh: answers[row].tokens,
  }));
  step.turns.push(turns);
});
record('forwardBackward', (batch) => {
  const rows = cutByTokens(batch, trainedUnits(batch, 1), microBatchTokens);
  const of = (column, row) => Array.from(column.subarray(row * batch.width, row * batch.width + batch.length[row]));
  step.batches.push(
    rows.map((micro) =>
      micro.map((row) => ({
        tokens: of(batch.tokens, row),
        mask: of(batch.mask, row),
        weight: of(batch.weight, row),
        logprobs: of(batch.logprobs, row),
        advantages: of(batch.advantages, row),
      })),
    ),
  );
});
const iterations = [];
await iterate(training, async ({ seconds, cpu, rollout, update }) => {
  iterations.push({ seconds, cpu, rollout, update });
  work.push(step);
  step = { turns: [], batches: [] };
});
writeFileSync(workFile, JSON.stringify(work));
console.log(JSON.stringify({ iterations }));
await training.dispose();

/** Tells `listen` the first argument and the result of each call. */
function record(name, listen) {
  const original = policy[name].bind(policy);
  policy[name] = async (first, ...others) => {
    const result = await original(first, ...others);
    listen(first, result);
    return result;
  };
}
