// Trains the rl stage of a recipe with a model from a folder, one step for each line on standard input. It answers with the
// seconds, and with what was generated and trained on, so that another program can do the same work.
//   node our-training.js RECIPE FOLDER STEPS [KEY=VALUE]...
//   {}  ->  {"seconds": S, "cpu": S, "rollout": S, "update": S, "turns": [...], "batches": [{"rows": [...], "microBatches": [...]}]}
import { createInterface } from 'node:readline';

import { cutByTokens, trainedUnits } from '../../plugins/policy-transformer/dist/worker/batch-rows.js';
import { iterate, openTraining } from '../rl/quickstart-side.js';
import { openHost } from '../sides/our-side.js';

const [recipe, folder, steps, ...sets] = process.argv.slice(2);
const plugins = [
  'env-textcraft',
  'env-guess-number',
  'curriculum-standard',
  'reward-standard',
  'format-standard',
  'algo-grpo',
];
const host = await openHost([...plugins, 'policy-transformer']);
const training = await openTraining(host, recipe, [`policy.from=${folder}`, `stages.rl.steps=${steps}`, ...sets]);
const { policy } = training.parts;
const { microBatchTokens } = training.recipe.policy.options;
let step = { turns: [], batches: [] };
record('generate', (requests, answers) => {
  const turn = requests.map(({ sequence, tokens }, row) => ({
    sequence,
    tokens: [...tokens],
    fresh: answers[row].tokens,
  }));
  step.turns.push(turn);
});
record('forwardBackward', (batch) => {
  const of = (column, row) => Array.from(column.subarray(row * batch.width, row * batch.width + batch.length[row]));
  const rows = Array.from({ length: batch.rows }, (_, row) => ({
    tokens: of(batch.tokens, row),
    mask: of(batch.mask, row),
    weight: of(batch.weight, row),
    logprobs: of(batch.logprobs, row),
    advantages: of(batch.advantages, row),
  }));
  step.batches.push({ rows, microBatches: cutByTokens(batch, trainedUnits(batch, 'row'), microBatchTokens) });
});

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { algorithm, stages } = training.recipe;
say({ tasks: stages.rl.tasksPerStep, groupSize: algorithm.groupSize });
await nextLine();
await iterate(training, async ({ seconds, cpu, rollout, update }) => {
  say({ seconds, cpu, rollout, update, ...step });
  step = { turns: [], batches: [] };
  await nextLine();
});

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

/** Waits for the next line. Nobody wants more steps after the last one. */
async function nextLine() {
  if ((await lines.next()).done) process.exit();
}

/** Tells `listen` the first argument and the result of each call. */
function record(name, listen) {
  const original = policy[name].bind(policy);
  policy[name] = async (first, ...others) => {
    const result = await original(first, ...others);
    listen(first, result);
    return result;
  };
}
