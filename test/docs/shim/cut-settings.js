/** Tasks of an evaluation. */
const TASKS = 2;

/** Untrained policies write as many tokens as they may. */
const ACTION_TOKENS = 4;

/** Episodes of a group. */
const GROUP = 4;

/** Each engine thread compiles the model again, which is most of the work of a short training. */
const ENGINE_THREADS = 1;

/** The engine compiles it in half the time of the default, `nano`. */
const PRESET = 'pico';

/** Cut settings of an ablation whose cells define the length of training: no cell varies these keys. */
export const cutPilot = [
  ['algorithm.groupSize', GROUP],
  ['evaluation.tasks', TASKS],
  ['evaluation.final.tasks', TASKS],
  ['evaluation.final.temperatures', '[0]'],
  ['policy.options.threads', ENGINE_THREADS],
  ['policy.preset', PRESET],
  ['stages.rl.tasksPerStep', 2],
  ['policy.sampling.maxActionTokens', ACTION_TOKENS],
];

/**
 * All cut settings: keys of a resolved recipe with the values that replace theirs while documents are tested.
 * Everything else (rewards, algorithm, format and environment) is trained as written.
 *
 * @param {import('../../../src/config/recipe-schema.js').Recipe} recipe
 * @returns {[key: string, value: number | string][]}
 */
export function cutSettings(recipe) {
  const { stages, evaluation, algorithm, policy } = recipe;
  return [
    ...Object.entries(stages).flatMap(([name, stage]) => cutStage(`stages.${name}`, stage, recipe)),
    ...cutHorizon('horizon', recipe.horizon),
    ...engineThreads(policy),
    ...smallerModel(recipe),
    ...atMost('policy.sampling.maxActionTokens', policy.sampling?.maxActionTokens, ACTION_TOKENS),
    ...atMost('algorithm.groupSize', algorithm?.groupSize, GROUP),
    ...atMost('evaluation.tasks', evaluation.every === 0 ? undefined : evaluation.tasks, TASKS),
    ...atMost('evaluation.final.tasks', evaluation.final.tasks, TASKS),
    ...atMost('evaluation.horizon', evaluation.horizon, MOST_TURNS),
  ];
}

/** Nothing for a recipe that was already cut. */
function engineThreads({ name, options }) {
  const isCut = name !== 'transformer' || options?.threads === ENGINE_THREADS;
  return isCut ? [] : [['policy.options.threads', ENGINE_THREADS]];
}

/** The recipe `textcraft` keeps its model, so that one model of this size is trained. */
function smallerModel({ name, policy }) {
  const isCut = policy.name === 'transformer' && policy.preset === 'nano' && name !== 'textcraft';
  return isCut ? [['policy.preset', PRESET]] : [];
}

/** The guessing game needs five turns. Untrained policies fill every available turn with tokens. */
const MOST_TURNS = 5;

function cutStage(path, stage, recipe) {
  const horizon = stage.horizon ?? recipe.horizon;
  const steps = stage.kind === 'rl' ? Math.max(2, Array.isArray(horizon.turns) ? horizon.turns.length : 2) : 2;
  return [
    ...atMost(`${path}.steps`, stage.steps, steps),
    ...atMost(`${path}.optimizer.warmup`, stage.optimizer.warmup, 0),
    ...atMost(`${path}.batchSize`, stage.batchSize, 8),
    // As many episodes per step as any recipe has minibatches.
    ...atMost(`${path}.tasksPerStep`, stage.tasksPerStep, recipe.algorithm?.groupSize > 1 ? 2 : 4),
    ...atMost(`${path}.demonstrations.count`, stage.demonstrations?.count, 16),
    ...(stage.horizon === undefined ? [] : cutHorizon(`${path}.horizon`, stage.horizon)),
  ];
}

/** The same number of horizons, none longer than `MOST_TURNS`, with one step each. */
function cutHorizon(path, { turns, every, to }) {
  const last = Array.isArray(turns) ? turns.at(-1) : undefined;
  const fewer = last > MOST_TURNS ? turns.map((_, i) => MOST_TURNS - turns.length + 1 + i) : undefined;
  return [
    ...(fewer === undefined ? [] : [[`${path}.turns`, `[${fewer.join(', ')}]`]]),
    ...atMost(`${path}.turns`, typeof turns === 'number' ? turns : undefined, MOST_TURNS),
    ...atMost(`${path}.to`, to, MOST_TURNS),
    ...atMost(`${path}.every`, every, 1),
  ];
}

/** Nothing if the recipe asks for no more; `all` is more than any number. */
function atMost(key, value, most) {
  return value === undefined || value === null || value <= most ? [] : [[key, most]];
}
