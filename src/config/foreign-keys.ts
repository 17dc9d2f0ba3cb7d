// Keys of other trainers, and what does the same here. Sources: TRL 0.24 (GRPOConfig, RLOOConfig, PPOConfig), verl 0.6 (its
// configuration of trainers), prime-rl, verifiers, SkyRL, OpenRLHF, transformers (TrainingArguments), Weights & Biases,
// AgentGym-RL, GEM. The file is long because it is one list.

/** The other trainer and the key of a recipe, or a sentence about a key that no single key of a recipe replaces. */
export type ForeignKey = readonly [whose: string, ours: string] | string;

const trl = (ours: string): ForeignKey => ['TRL', ours];
const verl = (ours: string): ForeignKey => ['verl', ours];
const both = (ours: string): ForeignKey => ['TRL and verl', ours];
const many = (ours: string): ForeignKey => ['other trainers', ours];

const learningRate = 'stages.NAME.optimizer.learningRate';
const option = (name: string): string => `algorithm.options.${name}`;

const lora =
  'Write `policy.options.loraRank` (and `loraAlpha`, `loraTargets`); `agentgym describe policy transformer` shows them.';
const server =
  'Write `policy.sampler` to sample on a server such as vLLM; without it the policy samples in its own process.';
const wandb =
  'There is no tracker for Weights & Biases. `tracking` takes tensorboard and mlflow, and `agentgym report` writes a page.';
const tasksOfEnvironment =
  'Training tasks come from the `environment`, not from a file of prompts. Demonstrations come from `stages.NAME.demonstrations.file`.';
const episodesPerStep =
  'An rl stage plays `stages.NAME.tasksPerStep` tasks, each `algorithm.groupSize` times; an sft stage has `stages.NAME.batchSize`.';
const evaluationTasks = 'The tasks of evaluations are `evaluation.tasks` and `evaluation.final.tasks`.';
const devices =
  'A run uses one machine: remove it. `policy.options.engine` chooses processor or GPU, and `policy.options.threads` the threads.';
const logs = 'Every step is written to metrics.jsonl, and no key changes this. Remove it.';
const folder = 'The folder of a run is not part of a recipe: write `agentgym train RECIPE --output DIR`.';
const resume = 'Resuming is not part of a recipe: write `agentgym train --resume RUN`.';
const memory =
  'Remove it: `policy.options.microBatchTokens` and `policy.options.activationMegabytes` limit the memory of training.';

const tracking =
  'Write `tracking`, which takes tensorboard and mlflow. There is no tracker for Weights & Biases; `agentgym report` writes a page.';
const mlflow = 'Write `tracking: [mlflow]`, and set the environment variable MLFLOW_TRACKING_URI.';
const reference = 'The reference is the policy at the start of each stage, and no key changes this.';
const penalty =
  'Sampling has no such penalty, because training needs the probabilities of the model itself. Remove it.';
const sampling = 'Write `policy.sampling`: it has `temperature`, `topP`, `topK` and `maxActionTokens`.';
const kernels = 'The engine chooses its own kernels, and `policy.options.engine` chooses the engine. Remove it.';
const cache = '`policy.options.cacheMegabytes` limits the memory for keys and values.';
const offPolicy =
  'Write `algorithm.recomputeLogprobs: true`; `algorithm.importanceCap` limits the weight that corrects a token.';
const recorded = 'Write `record.episodes`, the number of recorded episodes per step.';
const printed = 'No key of a recipe changes what is printed. Remove it.';
const stages = 'A recipe trains its `stages` and then evaluates. `agentgym evaluate` only evaluates.';
const best = 'Write `--checkpoint best` in `agentgym evaluate`, `export` or `push` after training.';
const hub = 'Uploading is not part of a recipe: write `agentgym push RUN ORG/NAME` after training.';
const loss = 'Only turns of the policy are learned, and no key changes this. Remove it.';
const cut =
  'No key leaves out episodes that were cut. `algorithm.options.overlongLimit` lowers the return of long ones.';
const tokenizer =
  'A model of `policy.from` has its own tokenizer; `policy.options.tokenizer` is that of a model from scratch.';
const rounded = 'Write `policy.options.samplingWeights: int8` or `int4`: the copy that samples is rounded.';
const rewards = 'Write `reward.terms`. A reward of your own is a plugin: `agentgym init --template reward`.';
const order = 'Each step draws its tasks at random, by the seed, and no key changes this. Remove it.';
const marks = 'Marks are not part of a recipe: write `agentgym train RECIPE --tag WORD --note TEXT`.';
const search = 'A recipe is one run: write `agentgym ablate SETTING --recipe RECIPE` to compare settings.';
const prompt = 'The prompt comes from the `environment` and the `format`; `agentgym play` shows it.';
const adapter = 'An adapter trains the matrices of `policy.options.loraTargets` only. Remove it.';
const project =
  'Runs have no project: write `name`, and `agentgym runs label RUN --tag WORD` marks runs that belong together.';
const absent = 'Training has nothing of this kind. Remove it.';

/** Keys with one meaning, separated by spaces. */
const groups: readonly (readonly [ForeignKey, names: string])[] = [
  [absent, 'disabledropout neftunenoisealpha labelsmoothingfactor topentropyquantile castlmheadtofp32 tf32'],
  [adapter, 'modulestosave loramodulestosave'],
  [best, 'loadbestmodelatend metricforbestmodel greaterisbetter'],
  [cache, 'usecache cacheimplementation usetransformerspaged'],
  [cut, 'masktruncatedcompletions zerotruncatedcompletions overlongfiltering'],
  [
    devices,
    'localrank ddp* fsdp* nccl* deepspeed* ds3* megatron* ray* accelerate* accelerator distributed worldsize zerostage strategy colocate* ' +
      'placement refnumnodes cuda nocuda usecpu gpus devices trainergpuids inferencegpuids deployment dataparallelsize ' +
      'pipelineparallelsize ulyssessequenceparallelsize contextparallelsize mixedprecision',
  ],
  [folder, 'overwriteoutputdir logdir workdir savedir savepath ckptpath checkpointdir checkpoint.dir checkpoint.path'],
  [hub, 'pushtohub hub*'],
  [
    kernels,
    'useligerkernel useligerloss attnimplementation flashattn flashattention2 usetorchcompile torchcompile usefusedkernels useremovepadding',
  ],
  [logs, 'loggingfirststep loginterval logevery'],
  [lora, 'lora* peft* uselora maxlorarank'],
  [many('policy.options.loraRankStabilized'), 'userslora'],
  [many('policy.options.loraDora'), 'usedora'],
  [loss, 'assistantonlyloss completiononlyloss trainoninputs trainonprompt maskenvresponses'],
  [many('algorithm.epochs'), 'maxepochs updateepochsperbatch'],
  [many('algorithm.groupSize'), 'nsamplesperprompt numsamples numreturnsequences groupsizes'],
  [many('algorithm.name'), 'lossmode advantage advantageestimator advantagetype'],
  [many('environment.name'), 'env envid vfenvid env.id env.name envclass environmentid'],
  [many('environment.options'), 'envargs envkwargs env.args environment.args environment.kwargs environment.config'],
  [
    many('environment.workers'),
    'maxdataworkers numproc numtrainworkers envserver environment.numworkers rollout.numworkers',
  ],
  [many('evaluation.episodesPerTask'), 'numgenerationseval evaluation.n evaluation.k'],
  [
    many('evaluation.every'),
    'evaluationstrategy evaldelay evalinterval evalevery valcheckinterval eval.interval evaluation.interval',
  ],
  [evaluationTasks, 'evaldataset numexamples numevalexamples limitvalbatches evaluation.numtasks evaluation.episodes'],
  [
    many('checkpoint.every'),
    'saveevery saveinterval ckptinterval checkpointinterval checkpoint.interval checkpoint.frequency',
  ],
  [many('checkpoint.keep'), 'ckpt.keep keepcheckpoints maxcriticckpttokeep'],
  [many('horizon.turns'), 'maxepisodesteps maxepisodelength horizon.steps horizon.max horizon.length horizon.limit'],
  [many('policy.from'), 'pretrain modelname modelid policy.checkpoint policy.pretrained'],
  [
    many('policy.options.microBatchTokens'),
    'microbatchsize microtrainbatchsize microrolloutbatchsize logprobmicrobatchsizepergpu',
  ],
  [many('policy.options.precision'), 'precision'],
  [
    many('policy.sampling.maxActionTokens'),
    'responselength generatemaxlen maxgenerationlen maxgeneratelength maxoutputtokens',
  ],
  [many('rollout.deadlineSeconds'), 'asyncgenerationtimeout envtimeout'],
  [
    many('rollout.inFlight'),
    'numenvs nenvs environment.numenvs maxinflightrollouts oversamplingfactor agent.numworkers',
  ],
  [
    many('rollout.maxEpisodeTokens'),
    'truncation filteroverlongprompts promptlength promptmaxlen maxpromptlen maxinputlength maxseqlen',
  ],
  [many('rollout.maxToolOutput'), 'maxtoolresponselength'],
  [many('seed'), 'dataseed randomstate randomseed'],
  [many('stages.NAME.demonstrations.file'), 'sft.dataset sft.data sft.file sft.path'],
  [many('stages.NAME.optimizer.clipNorm'), 'maxnorm gradnormclip gradclipnorm'],
  [many(learningRate), 'actorlearningrate'],
  [many('stages.NAME.optimizer.floor, a share of the peak'), 'minlrratio'],
  [many('stages.NAME.optimizer.name'), 'optimizertype optimizername optim.type'],
  [many('stages.NAME.optimizer.options.beta1 and stages.NAME.optimizer.options.beta2'), 'betas adambetas'],
  [many('stages.NAME.optimizer.options.weightDecay'), 'l2'],
  [many('stages.NAME.optimizer.schedule'), 'warmupstyle lrscheduler scheduler'],
  [many('stages.NAME.optimizer.warmup, in steps'), 'lrwarmupsteps lrwarmupstepsratio'],
  [many('stages.NAME.steps'), 'numepisodes numsteps totalsteps totaltimesteps nsteps trainsteps rl.epochs sft.epochs'],
  [many('stages.NAME.steps, or algorithm.epochs'), 'numepochs nepochs'],
  [many('stages.NAME.stopWhen'), 'earlystopping*'],
  [many('stages.NAME.tasksPerStep'), 'numgroups'],
  [many('tools'), 'toolconfigpath toolconfig'],
  [many(`${option('clipLow')} and ${option('clipHigh')}`), 'epsclip epscliplowhigh'],
  [many(option('clipLow')), 'epscliplow'],
  [many(option('clipHigh')), 'epscliphigh'],
  [many(option('constantLength')), 'lossscalefactor'],
  [many(option('criticLearningRate')), 'criticlearningrate'],
  [many(option('criticWarmup')), 'criticwarmup'],
  [many(option('dropFlatGroups')), 'filtergroups.enable dynamicfiltering dynamicsampling'],
  [many(option('entropyCoefficient')), 'entcoef entropyweight entropybonus'],
  [many(option('klCoefficient')), 'initklcoef klbeta klweight klpenaltycoef'],
  [many(option('klHorizon')), 'klctrl.horizon'],
  [many(option('klTarget')), 'targetkl kltarget'],
  [many(option('lambda')), 'gaelambda'],
  [many(`${option('overlongBuffer')} and ${option('overlongPenalty')}`), 'overlongbuffer*'],
  [many(option('refillRounds')), 'filtergroups.maxnumgenbatches maxnumgenbatches'],
  [many(option('scaling')), 'normalizereward normalizerewards'],
  [many(option('turnDiscount')), 'discount discountfactor'],
  [many(option('whiten')), 'normalizeadvantage normalizeadvantages whitenadvantages'],
  [marks, 'tags notes group'],
  [
    memory,
    'packing gradientcheckpointingkwargs usegradientcheckpointing evalaccumulationsteps autofindbatchsize groupbylength balancebatch adamoffload',
  ],
  [offPolicy, 'vllmimportancesampling* rolloutis* tisimpratiocap calculatelogprobs'],
  [order, 'shuffle shuffledataset sampler.classname curriculum'],
  [penalty, 'presencepenalty frequencypenalty lengthpenalty'],
  [printed, 'loglevel log verbose disabletqdm debug'],
  [prompt, 'fewshot applychattemplate'],
  [recorded, 'logcompletions numcompletionstoprint logvalgenerations rolloutdatadir validationdatadir'],
  [reference, 'refmodelmixupalpha refmodelsyncsteps refadaptername'],
  [resume, 'resume resumefrom resumepath'],
  [
    rewards,
    'rewardmodelpath rewardpretrain remotermurl rewardfn rewardfunction rewardmanager customrewardfunction rubric rewardweights weights ' +
      'rewardprocessingclasses rewardfnkey sandboxfusion reward.fn reward.name reward.model reward.weights reward.function',
  ],
  [rounded, 'loadin4bit loadin8bit quantizationconfig quantization bnb*'],
  [sampling, 'generationkwargs generationconfig samplingparams samplingargs'],
  [search, 'sweep search grid'],
  [
    server,
    'vllm* sglang* generator client enforceeager freecacheengine loadformat maxnumbatchedtokens maxnumseqs enablechunkedprefill ' +
      'enableprefixcaching numinferenceengines asyncengine fastinference weightbroadcast tensorparallelsize',
  ],
  [stages, 'dotrain doeval valonly'],
  [tasksOfEnvironment, 'dataset* promptdata inputkey removeunusedcolumns'],
  [tokenizer, 'tokenizer tokenizername tokenizernameorpath tokenizerpath eostoken padtoken'],
  [tracking, 'tracker trackers logger loggers logwith track tensorboard*'],
  [
    'Write `policy.options`; `agentgym describe policy transformer` shows them.',
    'modelinitkwargs modelkwargs modelargs modelconfig',
  ],
  ['Write `policy.options.thinking`; a chat template gets no other arguments.', 'chattemplatekwargs enablethinking'],
  ['Write `schedule`, `warmup` and `floor` in `stages.NAME.optimizer`.', 'lrschedulerkwargs lrschedulerargs numcycles'],
  ['Code in the folder of a model is never run. Remove it.', 'trustremotecode'],
  ['A new adapter changes nothing until it is trained, and no key changes this.', 'initloraweights'],
  [
    'A recipe has no callbacks. `stages.NAME.stopWhen` ends a stage, and `tracking` shows the run elsewhere.',
    'callbacks',
  ],
  ['Every environment is played over several turns: write `horizon.turns`.', 'multiturn multiturn.enable'],
  [
    'An action ends with the end token of the model or at `policy.sampling.maxActionTokens`.',
    'stop stopsequences stopstrings stopwords stoptokenids',
  ],
  ['Sampling has no beams. Remove it.', 'numbeams usebeamsearch'],
  ['Observations are text: images cannot be used.', 'imagekey videokey processor'],
  [
    'Folders of data and caches are the environment variables AGENTGYM_DATA_DIR and AGENTGYM_CACHE_DIR.',
    'cachedir datadir hfhome',
  ],
  [project, 'project projectname trackerprojectname'],
  [many('format.name'), 'parser messagetype multiturn.format toolparser'],
  [episodesPerStep, 'genbatchsize'],
  [many(option('valueClip')), 'valueclip cliprangevf'],
  [mlflow, 'mlflow* trackinguri'],
  [wandb, 'wandb* usewandb entity swanlab* comet* neptune*'],
];

/**
 * By the key's last words, joined by dots, without capitals, hyphens and underscores. Where several entries fit, the
 * one with most words counts. An entry that begins with a dot fits a key of the whole recipe only. One that ends with
 * `*` is the beginning of a family of keys, and counts where no entry has the whole name.
 */
export const foreignKeys: { readonly [name: string]: ForeignKey } = {
  ...Object.fromEntries(groups.flatMap(([key, names]) => names.split(' ').map((name) => [name, key]))),
  '.actorrolloutref':
    'In verl, `actor_rollout_ref` holds three models; here they are one `policy`, and their loss is in `algorithm`.',
  '.ckpt': ['prime-rl', 'checkpoint'],
  '.critic': 'A critic is part of the algorithm: `algorithm: {name: ppo, options: {critic: own}}`.',
  '.data': tasksOfEnvironment,
  '.dataset': tasksOfEnvironment,
  '.inference': server,
  '.model': many('policy.from'),
  '.optim': ['prime-rl', 'stages.NAME.optimizer'],
  '.optimizer': many('stages.NAME.optimizer'),
  '.orchestrator': 'There is no such process to set up: `stages`, `rollout` and `algorithm` say what a run does.',
  '.rewardmodel': many('reward.terms'),
  '.trainer':
    'A recipe has no such section: `stages` has the steps and optimizers, `evaluation` and `checkpoint` their own intervals.',
  '.training':
    'A recipe has no such section: `stages` has the steps and optimizers, `evaluation` and `checkpoint` their own intervals.',
  '.wandb': wandb,
  acceleratorconfig: devices,
  actionlength: many('policy.sampling.maxActionTokens'),
  adambeta1: trl('stages.NAME.optimizer.options.beta1'),
  adambeta2: trl('stages.NAME.optimizer.options.beta2'),
  adamepsilon: trl('stages.NAME.optimizer.options.epsilon'),
  advestimator: verl('algorithm.name'),
  basemodel: many('policy.from'),
  batchsize: episodesPerStep,
  beta: trl(option('klCoefficient')),
  bf16: 'Write `policy.options.precision: bfloat16`, which needs `policy.options.engine: tensorflow`; it rounds products, and weights stay float32.',
  chattemplate: 'The chat template belongs to the folder of the model, `policy.from`.',
  'ckpt.interval': ['prime-rl', 'checkpoint.every'],
  'ckpt.resumestep': resume,
  cliphigh: many(option('clipHigh')),
  cliplow: many(option('clipLow')),
  cliprange: many(`${option('clipLow')} and ${option('clipHigh')}`),
  cliprangevalue: both(option('valueClip')),
  clipratio: verl(`${option('clipLow')} and ${option('clipHigh')}`),
  clipratioc: verl(option('dualClip')),
  clipratiohigh: verl(option('clipHigh')),
  clipratiolow: verl(option('clipLow')),
  'critic.optim.lr': verl(option('criticLearningRate')),
  'data.trainfiles': tasksOfEnvironment,
  'dataloader*': 'Nothing loads data here. `environment.workers` is the number of threads that play a world.',
  defaultlocaldir: folder,
  delta: trl(option('ratioCap')),
  device: devices,
  dosample: 'Write `policy.sampling.temperature`; 0 takes the most likely token.',
  dtype: many('policy.options.precision'),
  enablegradientcheckpointing: memory,
  entropycoef: many(option('entropyCoefficient')),
  entropycoeff: verl(option('entropyCoefficient')),
  entropycoefficient: many(option('entropyCoefficient')),
  'environment.id': ['prime-rl', 'environment.name'],
  envname: many('environment.name'),
  epsilon: trl(`${option('clipLow')} and ${option('clipHigh')}`),
  epsilonhigh: trl(option('clipHigh')),
  evalsteps: trl('evaluation.every'),
  evalstrategy: trl('evaluation.every, where 0 plays only the final one'),
  experimentname: verl('name'),
  fp16: 'There is no training in float16. `policy.options.precision` is float32 or bfloat16.',
  gae: many(option('lambda')),
  gamma: both(option('turnDiscount')),
  generationbatchsize: episodesPerStep,
  generationsperprompt: many('algorithm.groupSize'),
  globalbatchsize: episodesPerStep,
  gpumemoryutilization: server,
  gradclip: verl('stages.NAME.optimizer.clipNorm'),
  gradientaccumulationsteps: trl('policy.options.microBatchTokens'),
  gradientcheckpointing: memory,
  importancesamplinglevel: trl(option('ratioLevel')),
  klcoef: both(`${option('klCoefficient')}, with klIn: reward`),
  klcoeff: many(option('klCoefficient')),
  klcoefficient: many(option('klCoefficient')),
  kllosscoef: verl(`${option('klCoefficient')}, with klIn: loss`),
  kllosstype: verl(option('klEstimator')),
  klpenalty: verl(option('klEstimator')),
  lam: both(option('lambda')),
  lambda: many(option('lambda')),
  learningrate: trl(learningRate),
  logfreq: logs,
  loggingdir: folder,
  loggingsteps: logs,
  loggingstrategy: logs,
  loradropout: 'A LoRA adapter has no dropout here. Remove it.',
  lossaggmode: verl(option('aggregation')),
  losstype: trl(option('aggregation')),
  lr: many(learningRate),
  lrschedulertype: trl('stages.NAME.optimizer.schedule'),
  maxactorckpttokeep: verl('checkpoint.keep'),
  maxassistantturns: verl('horizon.turns'),
  maxasynclevel: 'Training waits for the episodes of its step: there is no asynchronous level. Remove it.',
  maxcompletionlength: trl('policy.sampling.maxActionTokens'),
  maxconcurrent: ['prime-rl', 'rollout.inFlight'],
  maxgradnorm: trl('stages.NAME.optimizer.clipNorm'),
  maxlength: many('rollout.maxEpisodeTokens'),
  maxmodellen: verl('rollout.maxEpisodeTokens'),
  maxnewtokens: many('policy.sampling.maxActionTokens'),
  maxpromptlength: both('rollout.maxEpisodeTokens'),
  maxresponselength: verl('policy.sampling.maxActionTokens'),
  maxrounds: many('horizon.turns'),
  maxseqlength: many('rollout.maxEpisodeTokens'),
  maxsteps: many('stages.NAME.steps, or horizon.turns'),
  maxtokens: many('policy.sampling.maxActionTokens'),
  maxturns: many('horizon.turns'),
  maxuserturns: verl('horizon.turns'),
  minibatchsize: many('algorithm.minibatches, a number of parts'),
  minp: 'Sampling has no `min_p`. An rl stage trains on the whole distribution, with `topP: 1` and `topK: 0`.',
  'model.name': ['prime-rl', 'policy.from'],
  'model.path': verl('policy.from'),
  modelnameorpath: trl('policy.from'),
  modelpath: verl('policy.from'),
  'multiturn.maxassistantturns': verl('horizon.turns'),
  ngpuspernode: devices,
  nnodes: devices,
  normadvbystdingrpo: verl(option('scaling')),
  numgenerations: trl('algorithm.groupSize'),
  numgpus: devices,
  numiterations: trl('algorithm.epochs'),
  numppoepochs: trl('algorithm.epochs'),
  numrollouts: many('algorithm.groupSize'),
  numtrainepochs: trl('stages.NAME.steps'),
  numturns: many('horizon.turns'),
  numworkers: many('environment.workers'),
  offload: memory,
  'optim.lr': verl(learningRate),
  optimizeroffload: memory,
  outputdir: folder,
  paramoffload: memory,
  perdeviceevalbatchsize: evaluationTasks,
  perdevicetrainbatchsize: trl('stages.NAME.tasksPerStep'),
  'policy.model': many('policy.from'),
  'policy.path': many('policy.from'),
  ppoepochs: verl('algorithm.epochs'),
  ppomaxtokenlenpergpu: verl('policy.options.microBatchTokens'),
  ppomicrobatchsizepergpu: verl('policy.options.microBatchTokens'),
  ppominibatchsize: verl('algorithm.minibatches, a number of parts'),
  pretrainedmodelnameorpath: trl('policy.from'),
  promptkey: tasksOfEnvironment,
  refmodel: reference,
  repetitionpenalty: penalty,
  reportto: tracking,
  resumefromcheckpoint: resume,
  resumemode: resume,
  rewardfuncs: trl('reward.terms'),
  'rollout.n': verl('algorithm.groupSize'),
  'rollout.name': server,
  rolloutbatchsize: episodesPerStep,
  rolloutn: verl('algorithm.groupSize'),
  rolloutsperexample: ['prime-rl', 'algorithm.groupSize'],
  roundsctrl: ['AgentGym-RL', 'horizon'],
  runname: trl('name'),
  samplesperprompt: many('algorithm.groupSize'),
  savefreq: verl('checkpoint.every'),
  savesteps: trl('checkpoint.every'),
  savestrategy: trl('checkpoint.every'),
  savetotallimit: trl('checkpoint.keep'),
  scalerewards: trl(option('scaling')),
  seqlen: ['prime-rl', 'rollout.maxEpisodeTokens'],
  stepadvantagew: ['verl-agent', option('anchorWeight')],
  stepspergeneration: 'Write `algorithm.minibatches`, the optimizer steps per pass over the episodes of a step.',
  stepsscalinginter: ['AgentGym-RL', 'horizon.every, with schedule: scaling-inter'],
  syncrefmodel: reference,
  systemprompt: prompt,
  targetmodules: lora,
  temperature: both('policy.sampling.temperature'),
  tensormodelparallelsize: server,
  testfreq: verl('evaluation.every'),
  torchdtype: trl('policy.options.precision'),
  totalepochs: verl('stages.NAME.steps'),
  totaltrainingsteps: verl('stages.NAME.steps'),
  trainbatchsize: verl('stages.NAME.tasksPerStep'),
  traindataset: tasksOfEnvironment,
  trainfile: tasksOfEnvironment,
  trainfiles: tasksOfEnvironment,
  usedynamicbsz: memory,
  useklinreward: verl(`${option('klCoefficient')}, with klIn: reward`),
  useklloss: verl(`${option('klCoefficient')}, with klIn: loss`),
  usepeft: lora,
  usevllm: server,
  valbatchsize: evaluationTasks,
  valbeforetrain: 'Remove it: the policy before training is played with the final evaluation, as the baseline `start`.',
  valfiles: tasksOfEnvironment,
  'valkwargs.n': verl('evaluation.episodesPerTask'),
  'valkwargs.temperature': verl('evaluation.temperatures'),
  vfcoef: trl(option('valueCoefficient')),
  warmupratio: trl('stages.NAME.optimizer.warmup, in steps'),
  warmupsteps: trl('stages.NAME.optimizer.warmup'),
  weightdecay: trl('stages.NAME.optimizer.options.weightDecay'),
  whitenrewards: trl(option('whiten')),
};
