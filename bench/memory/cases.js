// Recipes of a few steps that reach the peak of the same recipe with many: both stages, evaluations and checkpoints.
const optimizer = { name: 'muon', learningRate: 0.01 };

function recipe(name, { policy, options, ...changes }) {
  const { sampling = { temperature: 1, maxActionTokens: 4 }, ...model } = policy;
  return {
    recipeVersion: 1,
    name,
    seed: 1,
    environment: { name: 'guess-number', options: { width: [20, 31], instructions: 'none' } },
    reward: { terms: [{ name: 'sparse', weight: 1 }] },
    policy: { name: 'transformer', ...model, sampling, ...(options && { options }) },
    algorithm: grpo().algorithm,
    horizon: { schedule: 'fixed', turns: 5 },
    // Episodes have up to 59 tokens, so that batches have about the shape that is measured before the first step.
    rollout: { maxEpisodeTokens: 64 },
    stages: {
      sft: {
        kind: 'sft',
        demonstrations: { expert: 'demonstrator', count: 1000 },
        batchSize: 64,
        steps: 20,
        optimizer,
      },
      rl: { kind: 'rl', tasksPerStep: 32, steps: 4, optimizer },
    },
    evaluation: { every: 0, final: { tasks: 'all' } },
    ...changes,
  };
}

const guess = (preset, options, changes) => ({ policy: { preset }, ...(options && { options }), ...changes });

/** Learns from every group, so that the batches of the few steps are full. */
const grpo = (options, groupSize = 16) => ({
  algorithm: {
    name: 'grpo',
    groupSize,
    minibatches: 4,
    options: { dropFlatGroups: false, entropyCoefficient: 0.01, ...options },
  },
});

/** Long episodes in a world of texts. */
const textworld = (preset, changes) => ({
  policy: { preset, sampling: { temperature: 1, maxActionTokens: 12 } },
  environment: { name: 'textworld-custom', options: { rooms: 2, objects: 3, questLength: 4 } },
  rollout: {},
  horizon: { schedule: 'fixed', turns: 12 },
  stages: {
    sft: { kind: 'sft', demonstrations: { expert: 'demonstrator', count: 500 }, batchSize: 64, steps: 8, optimizer },
    rl: { kind: 'rl', tasksPerStep: 16, steps: 2, optimizer },
  },
  evaluation: { every: 0, final: { tasks: 100 } },
  ...changes,
});

/** Reinforcement learning alone, from a folder. */
const from = (folder, options, { tasksPerStep = 32, steps = 2, optimizer: own = optimizer, ...changes } = {}) => ({
  policy: { from: folder, sampling: { temperature: 1, maxActionTokens: 4 } },
  ...(options && { options }),
  stages: { rl: { kind: 'rl', tasksPerStep, steps, optimizer: own } },
  evaluation: { every: 0, final: { tasks: 100 } },
  ...changes,
});

/** Trains hardly anything: its checkpoint is a folder with a model of the preset mini. */
export function smallModelRecipe() {
  const made = recipe('small', guess('mini', undefined, { evaluation: { every: 0, final: { tasks: 2 } } }));
  const { sft, rl } = made.stages;
  return { ...made, stages: { sft: { ...sft, steps: 2 }, rl: { ...rl, tasksPerStep: 2, steps: 1 } } };
}

/**
 * Recipes that differ in model, engine and options. Batches of the guessing game have about the shape that is measured.
 *
 * @param folders of models: `small`, and if given `large` (two layers and a large vocabulary) and `half` (24 layers)
 */
export function casesOf({ small, large, half }) {
  const few = { stages: recipe('', { policy: {} }).stages, evaluation: { every: 0, final: { tasks: 50 } } };
  few.stages.rl = { ...few.stages.rl, tasksPerStep: 16, steps: 1 };
  few.stages.sft = { ...few.stages.sft, batchSize: 32, steps: 3 };
  const adamw = { optimizer: { name: 'adamw', learningRate: 1e-4 } };
  const big = (folder, options) => ({
    ...from(
      folder,
      { microBatchTokens: 1024, cacheMegabytes: 400, ...options },
      { tasksPerStep: 2, steps: 1, ...adamw },
    ),
    policy: { from: folder, sampling: { temperature: 1, maxActionTokens: 24 } },
    environment: { name: 'textcraft' },
    reward: {
      terms: [
        { name: 'sparse', weight: 1 },
        { name: 'cost', weight: 1 },
      ],
    },
    algorithm: { ...grpo(undefined, 4).algorithm, minibatches: 1 },
    horizon: { schedule: 'fixed', turns: 4 },
    rollout: { maxEpisodeTokens: 1024 },
    evaluation: { every: 0, final: { tasks: 2 } },
  });
  const all = {
    pico: guess('pico'),
    'pico, 1 thread': guess('pico', { threads: 1 }),
    'pico, WebAssembly': guess('pico', { engine: 'wasm' }),
    nano: guess('nano'),
    mini: guess('mini'),
    'mini, 1 thread': guess('mini', { threads: 1 }),
    'mini, WebAssembly': guess('mini', { engine: 'wasm' }, few),
    'mini, KL': guess('mini', undefined, grpo({ klCoefficient: 0.01 })),
    small: guess('small', undefined, few),
    'TextWorld, mini': textworld('mini'),
    'TextWorld, nano, PPO with its own critic': textworld('nano', {
      algorithm: { name: 'ppo', groupSize: 1, options: { klCoefficient: 0.001, klIn: 'reward', klEstimator: 'k1' } },
    }),
    'folder, whole': from(small),
    'folder, LoRA': from(small, { loraRank: 8 }),
    ...(large && { 'large, LoRA': big(large, { loraRank: 16 }), 'large, whole': big(large) }),
    ...(half && {
      'half a billion, LoRA': big(half, { loraRank: 16 }),
      'half a billion, LoRA, int8': {
        ...big(half, { loraRank: 16, samplingWeights: 'int8' }),
        algorithm: { ...grpo(undefined, 4).algorithm, minibatches: 1, recomputeLogprobs: true },
      },
    }),
  };
  return Object.entries(all).map(([name, made]) => ({ name, recipe: recipe('memory', made) }));
}
