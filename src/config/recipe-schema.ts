// The one description of a recipe: its types, the JSON Schema for editors and docs/reference/recipe.md are made of it.
// Keys whose default depends on another key are optional here and filled in, or dropped, by idle-settings.ts. Long
// because it is one list.
import semver from 'semver';
import * as v from 'valibot';

import type { Json } from '../contracts/json.js';

const whole = (minimum: number, description: string) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(minimum), v.description(description));
/**
 * Of what is held in memory all at once, or counted out one by one: beyond it a number is a slip of the hand, and would
 * only show as a crash.
 */
const count = (minimum: number, description: string, maximum = 1_000_000) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(minimum), v.maxValue(maximum), v.description(description));
const amount = (minimum: number, description: string) =>
  v.pipe(v.number(), v.finite(), v.minValue(minimum), v.description(description));
const share = (description: string) => v.pipe(v.number(), v.minValue(0), v.maxValue(1), v.description(description));
const decay = (description: string) => v.pipe(v.number(), v.minValue(0), v.ltValue(1), v.description(description));
const text = (description: string) => v.pipe(v.string(), v.nonEmpty(), v.maxLength(4096), v.description(description));
const contribution = (kind: string) => text(`Name of the ${kind}; \`agentgym list\` shows what is installed`);

const settings = v.record(v.string(), v.unknown()) as unknown as v.GenericSchema<Record<string, Json>>;
const options = (whose: string, describe: string) =>
  v.optional(
    v.pipe(settings, v.description(`Options of the ${whose}; \`agentgym describe ${describe} NAME\` shows them`)),
    {},
  );

/** Above zero, and no more than a timer of Node can wait: 2^31 milliseconds, beyond which it does not wait at all. */
const duration = (description: string) =>
  v.exactOptional(v.pipe(v.number(), v.minValue(0.001), v.maxValue(2_147_483), v.description(description)));
const seconds = (phase: string) => duration(`Longest time of ${phase}`);

type Wrapped<Schema> = Schema extends { readonly wrapped: infer Inner } ? Inner : Schema;

/** The same keys, none of which has to be there or is filled in. */
function withoutDefaults<Entries extends v.ObjectEntries>(entries: Entries) {
  const bare = Object.entries(entries).map(([key, schema]) => [
    key,
    v.exactOptional('wrapped' in schema ? (schema.wrapped as v.GenericSchema) : schema),
  ]);
  return Object.fromEntries(bare) as {
    readonly [Key in keyof Entries]: v.ExactOptionalSchema<Wrapped<Entries[Key]>, undefined>;
  };
}

const environment = v.pipe(
  v.strictObject({
    name: contribution('environment'),
    options: options('environment', 'environment'),
    thread: v.exactOptional(
      v.pipe(
        v.picklist(['main', 'worker']),
        v.description(
          'Where it is played: `worker` is a thread of its own, where a call that hangs harms no other episode; absent: as the environment says',
        ),
      ),
    ),
    workers: v.exactOptional(count(1, 'Threads that play it, with `thread: worker`; absent: 1', 64)),
    instances: v.exactOptional(
      count(1, 'Most instances at once; absent: as the environment says, or `rollout.inFlight`'),
    ),
    observationCharacters: v.exactOptional(
      count(
        1,
        'UTF-16 units after which an observation is cut, with a mark; absent: as the environment says, or 16384',
      ),
    ),
    seconds: v.exactOptional(
      v.pipe(
        v.strictObject({
          open: seconds('opening the world'),
          create: seconds('making an instance'),
          reset: seconds('`reset`'),
          step: seconds('`step`'),
          act: seconds("an expert's answer"),
          conclude: seconds('`conclude`'),
          dispose: seconds('disposing of an instance'),
          close: seconds('closing the world'),
        }),
        v.description('Longest times of its calls; absent: `rollout.deadlineSeconds`, or as the environment says'),
      ),
    ),
  }),
  v.description('The world that is played'),
);

const rewardTerm = v.strictObject({
  name: contribution('reward scheme'),
  weight: v.optional(v.pipe(v.number(), v.finite(), v.description("Factor of the term's numbers")), 1),
  options: options('reward scheme', 'reward'),
});

const reward = v.strictObject({
  terms: v.pipe(
    v.array(rewardTerm),
    v.minLength(1),
    v.description('Reward schemes whose weighted numbers are added up'),
  ),
  allowInversion: v.optional(
    v.pipe(
      v.boolean(),
      v.description('Accept weights, prices or a discount under which a failure can score above a success'),
    ),
    false,
  ),
});

const format = v.strictObject({ name: contribution('action format'), options: options('action format', 'format') });

const tool = v.strictObject({ name: contribution('tool'), options: options('tool', 'tool') });

const sampling = v.strictObject({
  temperature: v.optional(
    amount(0, 'Temperature of sampling and training in rl stages; evaluations have their own'),
    1,
  ),
  topP: v.optional(v.pipe(share('Nucleus sampling; must be 1 where there is an rl stage'), v.gtValue(0)), 1),
  topK: v.optional(whole(0, 'Sample from the k likeliest tokens, 0 from all; must be 0 where there is an rl stage'), 0),
  maxActionTokens: v.optional(count(1, 'Tokens after which an action is cut'), 64),
});

const policy = v.strictObject({
  name: v.optional(contribution('policy'), 'transformer'),
  preset: v.exactOptional(text("Model built from scratch; absent, without `from`: the policy's first preset")),
  from: v.exactOptional(
    text(
      'Weights to start from instead of a preset: a Hugging Face folder, a checkpoint, or a run, whose newest checkpoint is meant; `./` is relative to the recipe',
    ),
  ),
  options: options('policy', 'policy'),
  sampling: v.optional(v.pipe(sampling, v.description('How actions are sampled')), {}),
});

/** The keys of `algorithm`; a stage may say any of them anew. */
const algorithm = v.strictObject({
  name: contribution('algorithm'),
  groupSize: v.optional(count(1, 'Episodes of one task that are sampled together'), 8),
  epochs: v.optional(count(1, 'Passes over the episodes of a step'), 1),
  minibatches: v.optional(count(1, 'Optimizer steps per pass'), 1),
  recomputeLogprobs: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        "Take the trainer's own log probabilities for the ratio in the place of the sampler's, and weight for the difference",
      ),
    ),
    false,
  ),
  importanceCap: v.exactOptional(
    v.pipe(
      amount(0, 'Highest weight that corrects a token for the difference between sampler and trainer; absent: 2'),
      v.gtValue(0),
    ),
  ),
  options: options('algorithm', 'algorithm'),
});

/** A stage's `algorithm`: the same keys, of which it needs none; options are laid over those of the recipe. */
const algorithmOverride = v.strictObject({
  ...withoutDefaults(algorithm.entries),
  options: algorithm.entries.options,
});

type AlgorithmEntries = typeof algorithm.entries;
type DefaultedAlgorithmKey = {
  [Key in keyof AlgorithmEntries]: AlgorithmEntries[Key] extends { readonly type: 'optional' } ? Key : never;
}[keyof AlgorithmEntries];

/**
 * Keys of `algorithm` that have a value in every recipe, said or not; without its options, which are laid over each
 * other.
 */
export const defaultedAlgorithmKeys = Object.entries(algorithm.entries).flatMap(([key, { type }]) =>
  type === 'optional' && key !== 'options' ? [key as Exclude<DefaultedAlgorithmKey, 'options'>] : [],
);

const turnsList = v.pipe(
  v.array(count(1, 'Turns')),
  v.minLength(2, 'two horizons or more are wanted; one horizon is `schedule: fixed`'),
  v.check(
    (turns) => turns.every((turn, i) => turn > (turns[i - 1] ?? 0)),
    'each horizon must be longer than the one before',
  ),
  v.description('Horizons, each longer than the one before'),
);

const horizon = v.variant('schedule', [
  v.strictObject({
    schedule: v.pipe(v.literal('fixed'), v.description('One horizon throughout')),
    turns: count(1, 'Turns after which an episode is cut'),
  }),
  v.strictObject({
    schedule: v.pipe(v.literal('linear'), v.description('From one horizon to another in equal parts')),
    from: count(1, 'Turns at the first step'),
    to: count(1, 'Turns at the end of the ramp and after it'),
    over: whole(1, 'Steps that the ramp takes'),
  }),
  v.strictObject({
    schedule: v.pipe(
      v.literal('scaling-inter'),
      v.description('ScalingInter-RL: the next horizon every so many steps'),
    ),
    turns: turnsList,
    every: whole(1, 'Steps at each horizon; the last one stays'),
  }),
  v.strictObject({
    schedule: v.pipe(v.literal('success-rate'), v.description('The next horizon once enough episodes succeed')),
    turns: turnsList,
    threshold: share('Share of successes, over the window, from which the next horizon is taken'),
    window: v.optional(count(1, 'Steps over which the share is taken'), 1),
  }),
  v.strictObject({
    schedule: v.pipe(v.literal('truncation-rate'), v.description('The next horizon once too many episodes are cut')),
    turns: turnsList,
    threshold: share('Share of cut episodes, over the window, from which the next horizon is taken'),
    window: v.optional(count(1, 'Steps over which the share is taken'), 1),
  }),
]);

const optimizer = v.strictObject({
  name: v.optional(
    v.pipe(v.picklist(['adamw', 'muon']), v.description('`muon` is for hidden matrices, with `adamw` for all else')),
    'adamw',
  ),
  learningRate: v.optional(amount(0, 'Peak of the learning rate'), 0.001),
  warmup: v.optional(whole(0, 'Steps of the stage over which the learning rate rises to its peak'), 0),
  schedule: v.optional(
    v.pipe(
      v.picklist(['constant', 'linear', 'cosine']),
      v.description('How the learning rate goes on until the end of the stage'),
    ),
    'constant',
  ),
  floor: v.exactOptional(share('Share of the peak at which a linear or cosine schedule ends; absent: 0')),
  clipNorm: v.optional(amount(0, 'Global L2 norm to which gradients are clipped; 0: not clipped'), 1),
  options: v.optional(
    v.pipe(
      v.strictObject({
        weightDecay: v.exactOptional(amount(0, 'Decoupled weight decay')),
        beta1: v.exactOptional(decay('Decay of the first moment')),
        beta2: v.exactOptional(decay('Decay of the second moment')),
        epsilon: v.exactOptional(amount(0, 'Added to the root of the second moment')),
        momentum: v.exactOptional(decay('Momentum of muon')),
      }),
      v.description("Constants; what is absent has the policy's default"),
    ),
    {},
  ),
});

const demonstrations = v.strictObject({
  expert: v.exactOptional(
    text('Expert of the environment that plays training tasks; absent, without `file`: `demonstrator`'),
  ),
  file: v.exactOptional(text('Demonstrations as JSONL instead of an expert; relative to the recipe')),
  count: v.exactOptional(
    count(
      1,
      'Demonstrations to use; absent: as many as `budget` pays for, without it 1000 of an expert, all of a file',
    ),
  ),
  successOnly: v.optional(v.pipe(v.boolean(), v.description('Leave out demonstrations that fail')), false),
});

const stopWhen = v.exactOptional(
  v.pipe(
    v.array(
      v.pipe(
        v.strictObject({
          metric: v.pipe(
            v.string(),
            v.regex(
              /^(train|rollout|eval|cost)\/./,
              'a metric is named `train/...`, `rollout/...`, `eval/...` or `cost/...`',
            ),
            v.description('Name of a metric as in metrics.jsonl; `cost/...` counts from the beginning of the run'),
          ),
          above: v.exactOptional(v.pipe(v.number(), v.finite(), v.description('Limit that the metric must lie above'))),
          below: v.exactOptional(v.pipe(v.number(), v.finite(), v.description('Limit that the metric must lie below'))),
          for: v.optional(whole(1, 'Readings in a row'), 1),
        }),
        v.check((rule) => rule.above !== undefined || rule.below !== undefined, 'a rule needs `above` or `below`'),
      ),
    ),
    v.minLength(1),
    v.description('Rules of which the first to hold ends the stage; the run then goes on with the next'),
  ),
);

const sftStage = v.strictObject({
  kind: v.pipe(v.literal('sft'), v.description('Supervised fine-tuning on demonstrations')),
  demonstrations: v.optional(v.pipe(demonstrations, v.description('What is imitated')), {}),
  steps: whole(1, 'Optimizer steps'),
  batchSize: v.optional(count(1, 'Demonstrations per optimizer step'), 64),
  stopWhen,
  optimizer: v.optional(
    v.pipe(optimizer, v.description('The optimizer of this stage; each stage starts a fresh one')),
    {},
  ),
});

const rlStage = v.strictObject({
  kind: v.pipe(v.literal('rl'), v.description('Reinforcement learning')),
  tasksPerStep: v.optional(count(1, 'Tasks per step; each is played `algorithm.groupSize` times'), 32),
  steps: whole(1, 'Steps: each plays episodes and trains on them'),
  stopWhen,
  optimizer: v.optional(
    v.pipe(optimizer, v.description('The optimizer of this stage; each stage starts a fresh one')),
    {},
  ),
  algorithm: v.exactOptional(
    v.pipe(algorithmOverride, v.description('Keys of `algorithm` that are different in this stage')),
  ),
  horizon: v.exactOptional(v.pipe(horizon, v.description('Instead of `horizon` in this stage'))),
  reward: v.exactOptional(v.pipe(reward, v.description('Instead of `reward` in this stage'))),
});

const tasks = (description: string) =>
  v.pipe(v.union([count(1, 'Tasks'), v.literal('all')]), v.description(description));
const temperatures = (description: string) =>
  v.pipe(v.array(amount(0, 'Temperature')), v.minLength(1), v.description(description));
const episodesPerTask = count(1, 'Attempts at each task; above 1 avg@k and pass@k are given');

const transfer = v.record(
  v.pipe(
    v.string(),
    v.maxLength(64),
    v.regex(
      /^[a-zA-Z0-9]+([._-][a-zA-Z0-9]+)*$/,
      'an environment is called by words of letters and digits, joined by hyphens',
    ),
  ),
  v.strictObject({
    name: v.exactOptional(
      contribution("environment, with its own defaults; absent: the recipe's, with `options` laid over its own"),
    ),
    options: options('environment', 'environment'),
    horizon: v.exactOptional(
      count(1, "Turns after which an episode is cut there; absent: as in evaluations of the recipe's environment"),
    ),
  }),
);

const evaluation = v.strictObject({
  every: v.optional(whole(0, 'Steps of a stage between evaluations; 0: none but the final one'), 50),
  split: v.optional(
    v.pipe(v.picklist(['validation', 'train']), v.description('Split of evaluations during training')),
    'validation',
  ),
  tasks: v.optional(tasks('Tasks per evaluation, or `all`; at most every task once'), 100),
  episodesPerTask: v.optional(episodesPerTask, 1),
  temperatures: v.optional(temperatures('Each evaluation is made at each of these'), [0]),
  horizon: v.exactOptional(
    count(1, 'Turns after which an evaluated episode is cut; absent: the longest horizon of any stage'),
  ),
  seed: v.exactOptional(
    whole(
      0,
      "Chooses the tasks and worlds of evaluations, so that runs of several seeds share them; absent: the run's",
    ),
  ),
  final: v.optional(
    v.pipe(
      v.strictObject({
        split: v.optional(
          v.pipe(v.picklist(['test', 'validation']), v.description('Split of the final evaluation')),
          'test',
        ),
        tasks: v.optional(tasks('Tasks of the final evaluation, or `all`; at most every task once'), 500),
        episodesPerTask: v.optional(episodesPerTask, 1),
        temperatures: v.optional(temperatures('The final evaluation is made at each of these'), [0, 1]),
        transfer: v.exactOptional(
          v.pipe(
            transfer,
            v.minEntries(1),
            v.description(
              'Other environments that the trained policy and the baselines play too, by name: on the same split, with the same number of tasks, at the same temperatures; nothing is trained on them',
            ),
          ),
        ),
      }),
      v.description('The evaluation after the last stage, with its baselines'),
    ),
    {},
  ),
});

const budget = v.strictObject({
  units: v.pipe(amount(0, 'What the run may spend'), v.gtValue(0)),
  costs: v.pipe(
    v.strictObject({
      demonstration: v.exactOptional(
        amount(0, 'Units that a demonstration costs, and a game of the expert that `successOnly` leaves out'),
      ),
      episode: v.exactOptional(amount(0, 'Units that an episode of rl costs')),
      turn: v.exactOptional(amount(0, 'Units that a turn of rl costs')),
      token: v.exactOptional(amount(0, 'Units that a sampled token of rl costs')),
    }),
    v.description('What things cost: of `episode`, `turn` and `token`, one'),
  ),
  split: v.exactOptional(
    v.pipe(
      v.record(v.string(), share('Share')),
      v.description(
        'Share of the units for each stage; stages without one share the rest, and one that is left with 0 is skipped. A stage whose price is 0 is not limited and has no share',
      ),
    ),
  ),
});

/** The schema of a recipe as it is written. */
export const recipeSchema = v.strictObject({
  recipeVersion: v.pipe(v.literal(1), v.description('Version of this format')),
  name: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(100),
      v.regex(/^[a-zA-Z0-9]+([._-][a-zA-Z0-9]+)*$/, 'a name is words of letters and digits, joined by hyphens'),
      v.description("Begins the name of the run's folder; absent: the name of the file"),
    ),
    'unnamed',
  ),
  description: v.exactOptional(text('What it is for, in one sentence')),
  extends: v.exactOptional(text('A recipe that this one changes: a built-in name, or a path relative to this file')),
  plugins: v.exactOptional(
    v.pipe(
      v.record(
        v.pipe(v.string(), v.nonEmpty()),
        v.pipe(
          v.string(),
          v.check((range) => semver.validRange(range) !== null, 'a version or a range such as ^1.2.0 is wanted'),
          v.description('Version, or range of versions'),
        ),
      ),
      v.description(
        'Packages that have to be there, by name, and in which versions, such as `^1.2.0`; checked before anything runs, whether the recipe names something of them or not',
      ),
    ),
  ),
  seed: v.optional(whole(0, 'The root of all random numbers'), 1),
  exact: v.exactOptional(
    v.pipe(
      v.boolean(),
      v.description(
        '`true` refuses whatever would make another run of the recipe differ: worlds and tools that are external, samplers that promise too little; absent: such a run is marked inexact',
      ),
    ),
  ),
  environment,
  reward: v.optional(v.pipe(reward, v.description('What is rewarded')), { terms: [{ name: 'sparse' }] }),
  format: v.optional(v.pipe(format, v.description('How the policy writes its actions')), { name: 'plain' }),
  tools: v.exactOptional(
    v.pipe(
      v.array(tool),
      v.minLength(1),
      v.description(
        'What the policy may call in the place of an action; the first that claims a text has it. A call is a turn: it counts towards the horizon, the environment is not stepped, and the output is the next observation',
      ),
    ),
  ),
  policy: v.optional(v.pipe(policy, v.description('The model that acts and learns')), {}),
  algorithm: v.exactOptional(v.pipe(algorithm, v.description('How advantages and loss are made; needed by rl stages'))),
  horizon: v.pipe(
    horizon,
    v.description('Turns after which an episode is cut, and how that cap changes over the steps of a stage'),
  ),
  stages: v.pipe(
    v.record(
      v.pipe(
        v.string(),
        // Files are named after it.
        v.maxLength(64),
        v.regex(/^[a-z][a-z0-9-]*$/, 'a stage is named by lower-case letters, digits and hyphens'),
      ),
      v.variant('kind', [sftStage, rlStage]),
    ),
    v.minEntries(1),
    v.description('What is done, in this order, by name'),
  ),
  evaluation: v.optional(v.pipe(evaluation, v.description('How success is measured')), {}),
  budget: v.exactOptional(
    v.pipe(
      budget,
      v.description(
        'A limit on what training spends, in units; `steps` and `count` remain limits too. Whatever the limit, every run counts demonstrations, tasks, episodes, turns, tokens and operations (`cost/...` in metrics.jsonl, `spent` in result.json); evaluations cost nothing',
      ),
    ),
  ),
  stopAfter: v.exactOptional(
    v.pipe(
      v.strictObject({ seconds: amount(0, 'Seconds of training after which the run stops, resumable') }),
      v.description('A stop limit; it never shapes a schedule'),
    ),
  ),
  record: v.optional(
    v.pipe(
      v.strictObject({
        episodes: v.optional(
          count(
            0,
            'Episodes that are kept of each step of rl, chosen by seed, up to half of them in whole groups, and of the final evaluation',
          ),
          32,
        ),
      }),
      v.description('What is kept of the episodes; metrics always cover all'),
    ),
    {},
  ),
  checkpoint: v.optional(
    v.pipe(
      v.strictObject({
        every: v.optional(whole(0, 'Steps between checkpoints; 0: only at the end of a stage'), 50),
        keep: v.optional(count(1, 'Checkpoints that are kept, the newest'), 2),
      }),
      v.description('When the run is made resumable'),
    ),
    {},
  ),
  rollout: v.optional(
    v.pipe(
      v.strictObject({
        inFlight: v.optional(count(1, 'Episodes that are played at the same time'), 256),
        collection: v.exactOptional(
          v.pipe(
            v.picklist(['waves', 'free']),
            v.description(
              'When an episode goes on: in `waves`, once all have answered; `free`, once its own environment has. Absent: `free` where the policy answers independently of what else it is asked',
            ),
          ),
        ),
        deadlineSeconds: duration(
          'Seconds that one call of an environment may take; absent: as the environment says, or 60',
        ),
        retries: v.optional(count(0, 'How often a failed episode is tried again'), 2),
        maxFailedShare: v.optional(share('Share of failed episodes in a step above which the run ends'), 0.1),
        maxEpisodeTokens: v.exactOptional(
          count(1, "Tokens after which an episode is cut; absent: the model's own limit"),
        ),
        maxToolCalls: v.exactOptional(
          count(
            1,
            'Calls of an episode that reach a tool; the prompt says so, and a later call is answered that none are left. Absent: as many as there are turns',
          ),
        ),
        maxToolOutput: v.exactOptional(count(1, 'Characters after which the output of a tool is cut; absent: 2000')),
        toolSeconds: duration(
          'Seconds after which a call is asked to stop; one that goes on fails the episode. Absent: 10',
        ),
      }),
      v.description('How episodes are played'),
    ),
    {},
  ),
});

/** A recipe as it is written. */
export type RecipeInput = v.InferInput<typeof recipeSchema>;

/** A recipe as valibot gives it back: types are right, defaults are filled in. */
export type ParsedRecipe = v.InferOutput<typeof recipeSchema>;

/** A resolved recipe: everything is said, nothing is idle, nothing is inherited. */
export type Recipe = Omit<v.InferOutput<typeof recipeSchema>, 'extends'>;

type Stage = Recipe['stages'][string];
export type SftStage = Extract<Stage, { kind: 'sft' }>;
export type RlStage = Extract<Stage, { kind: 'rl' }>;
export type RewardSettings = Recipe['reward'];
export type AlgorithmSettings = NonNullable<Recipe['algorithm']>;
export type OptimizerKeys = SftStage['optimizer'];
