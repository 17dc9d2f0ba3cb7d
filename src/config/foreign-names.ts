// Names in other trainers, and the corresponding names here. Sources: TRL 0.24 (GRPOConfig, RLOOConfig, PPOConfig),
// verl 0.6 (its configuration of trainers), AgentGym-RL, GEM.

/** The other trainer, and the key of a recipe. */
type Place = readonly [whose: string, ours: string];

const trl = (ours: string): Place => ['TRL', ours];
const verl = (ours: string): Place => ['verl', ours];
const both = (ours: string): Place => ['TRL and verl', ours];
const many = (ours: string): Place => ['other trainers', ours];

const learningRate = 'stages.NAME.optimizer.learningRate';
const option = (name: string): string => `algorithm.options.${name}`;

/** By the key's last words, without capitals, hyphens and underscores. */
const keys: { readonly [name: string]: Place } = {
  'rollout.n': verl('algorithm.groupSize'),
  actionlength: many('policy.sampling.maxActionTokens'),
  actorrolloutref: verl('policy'),
  advestimator: verl('algorithm.name'),
  beta: trl(option('klCoefficient')),
  cliphigh: many(option('clipHigh')),
  cliplow: many(option('clipLow')),
  cliprange: many(`${option('clipLow')} and ${option('clipHigh')}`),
  clipratio: verl(`${option('clipLow')} and ${option('clipHigh')}`),
  clipratioc: verl(option('dualClip')),
  clipratiohigh: verl(option('clipHigh')),
  clipratiolow: verl(option('clipLow')),
  cliprangevalue: both(option('valueClip')),
  delta: trl(option('ratioCap')),
  entropycoef: many(option('entropyCoefficient')),
  entropycoeff: verl(option('entropyCoefficient')),
  entropycoefficient: many(option('entropyCoefficient')),
  epsilon: trl(`${option('clipLow')} and ${option('clipHigh')}`),
  epsilonhigh: trl(option('clipHigh')),
  gae: many(option('lambda')),
  gamma: both(option('turnDiscount')),
  generationsperprompt: many('algorithm.groupSize'),
  gradclip: verl('stages.NAME.optimizer.clipNorm'),
  gradientaccumulationsteps: trl('policy.options.microBatchTokens'),
  klcoef: both(`${option('klCoefficient')}, with klIn: reward`),
  klcoeff: many(option('klCoefficient')),
  klcoefficient: many(option('klCoefficient')),
  kllosscoef: verl(`${option('klCoefficient')}, with klIn: loss`),
  kllosstype: verl(option('klEstimator')),
  klpenalty: verl(option('klEstimator')),
  lam: both(option('lambda')),
  lambda: many(option('lambda')),
  learningrate: trl(learningRate),
  lossaggmode: verl(option('aggregation')),
  losstype: trl(option('aggregation')),
  lr: many(learningRate),
  lrschedulertype: trl('stages.NAME.optimizer.schedule'),
  maxcompletionlength: trl('policy.sampling.maxActionTokens'),
  maxgradnorm: trl('stages.NAME.optimizer.clipNorm'),
  maxlength: many('rollout.maxEpisodeTokens'),
  maxnewtokens: many('policy.sampling.maxActionTokens'),
  maxresponselength: verl('policy.sampling.maxActionTokens'),
  maxrounds: many('horizon.turns'),
  maxsteps: many('stages.NAME.steps, or horizon.turns'),
  maxtokens: many('policy.sampling.maxActionTokens'),
  maxturns: many('horizon.turns'),
  minibatchsize: many('algorithm.minibatches, a number of parts'),
  modelnameorpath: trl('policy.from'),
  modelpath: verl('policy.from'),
  normadvbystdingrpo: verl(option('scaling')),
  numgenerations: trl('algorithm.groupSize'),
  numiterations: trl('algorithm.epochs'),
  numppoepochs: trl('algorithm.epochs'),
  numtrainepochs: trl('stages.NAME.steps'),
  numturns: many('horizon.turns'),
  perdevicetrainbatchsize: trl('stages.NAME.tasksPerStep'),
  ppoepochs: verl('algorithm.epochs'),
  ppominibatchsize: verl('algorithm.minibatches, a number of parts'),
  rewardfuncs: trl('reward.terms'),
  rolloutn: verl('algorithm.groupSize'),
  samplesperprompt: many('algorithm.groupSize'),
  savefreq: verl('checkpoint.every'),
  savesteps: trl('checkpoint.every'),
  scalerewards: trl(option('scaling')),
  stepadvantagew: ['verl-agent', option('anchorWeight')],
  stepsscalinginter: ['AgentGym-RL', 'horizon.every, with schedule: scaling-inter'],
  roundsctrl: ['AgentGym-RL', 'horizon'],
  temperature: both('policy.sampling.temperature'),
  testfreq: verl('evaluation.every'),
  totalepochs: verl('stages.NAME.steps'),
  totaltrainingsteps: verl('stages.NAME.steps'),
  trainbatchsize: verl('stages.NAME.tasksPerStep'),
  useklloss: verl(`${option('klCoefficient')}, with klIn: loss`),
  vfcoef: trl(option('valueCoefficient')),
  warmupratio: trl('stages.NAME.optimizer.warmup, in steps'),
  warmupsteps: trl('stages.NAME.optimizer.warmup'),
  weightdecay: trl('stages.NAME.optimizer.options.weightDecay'),
  whitenrewards: trl(option('whiten')),
};

/** Algorithms by names that no plugin has. */
const algorithms: { readonly [name: string]: string } = {
  drgrpo: '`dr-grpo`',
  rebn: '`reinforce` with `options: {normalize: turns}`',
  reinforcebaseline: '`reinforce` with `options: {baseline: moving}`',
  reinforceplusplusbaseline: '`reinforce-plus-plus` with `options: {baseline: group}`',
  'reinforce++': '`reinforce-plus-plus`',
  'reinforce++baseline': '`reinforce-plus-plus` with `options: {baseline: group}`',
  rejectionsampling: '`expert-iteration`',
  remax: '`reinforce` with `options: {baseline: greedy}`',
  raft: '`expert-iteration`',
  rft: '`expert-iteration`',
  star: '`expert-iteration`',
};

const plain = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '');

/** The name in agentgym of a key of another trainer: a sentence, or undefined if the key is unknown. */
export function foreignKeyHint(path: readonly (string | number)[]): string | undefined {
  const words = path.map((word) => plain(String(word)));
  for (const name of [words.slice(-2).join('.'), words.at(-1) ?? '']) {
    const place = Object.hasOwn(keys, name) ? keys[name] : undefined;
    if (place === undefined) continue;
    const [whose, ours] = place;
    return `\`${path.at(-1)}\` is what ${whose} ${whose.includes(' ') ? 'call' : 'calls'} it; here it is ${quoted(ours)}.`;
  }
  return undefined;
}

/** Backquotes around each key of "a and b", "a, with b" or "a, or b". */
function quoted(ours: string): string {
  return ours.replaceAll(/[a-zA-Z]+(\.[a-zA-Z]+)+|klIn: \w+|schedule: [\w-]+/g, (key) => `\`${key}\``);
}

/** The algorithm here for another trainer's name: `grpo`, or an algorithm with options. */
export function foreignAlgorithm(name: string): string | undefined {
  const known = plain(name);
  return Object.hasOwn(algorithms, known) ? algorithms[known] : undefined;
}
