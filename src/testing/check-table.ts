// The one table of checks: why each matters, and how to mend what it finds. docs/reference/checks.md is written from it
// (`npm run reference`).

/** Whose checks they are. */
export type CheckedKind =
  | 'package'
  | 'entry'
  | 'contribution'
  | 'environment'
  | 'reward'
  | 'reward on an environment'
  | 'algorithm'
  | 'policy'
  | 'format'
  | 'tool';

export interface CheckEntry {
  /** What goes wrong in a run where this is left as it is. */
  readonly why: string;
  /** How to mend it. */
  readonly cure: string;
}

const create: CheckEntry = {
  why: 'Nothing can be made of it: every run that names it ends at once.',
  cure: 'Make create() work with the declared defaults, and give every member that the contract names.',
};
const clock: CheckEntry = {
  why: 'A run could not be repeated or resumed: the same seed would give other results at another time.',
  cure: 'Leave the clock out of whatever reaches the trainer; count turns or steps instead of seconds.',
};
const globalRandom: CheckEntry = {
  why: 'Math.random has no seed: the same recipe would give other results each time.',
  cure: 'Draw from the `Random` that reset() or the call is given, or from `host.random` where there is one.',
};
const globalState: CheckEntry = {
  why: 'A run holds many instances of many plugins in one process: what one leaves behind, the others stumble over.',
  cure: 'Keep state in the instance, and undo in dispose() or close() what was registered.',
};

export const checkTable: { readonly [Kind in CheckedKind]: { readonly [id: string]: CheckEntry } } = {
  package: {
    'package-json': {
      why: 'Without a readable package.json with a name and a version nothing can be installed or recorded.',
      cure: 'Write valid JSON with a `name` and a semantic `version`.',
    },
    'plugin-field': {
      why: 'The host finds plugins by this field; without it the package is installed and never seen.',
      cure: 'Add "agentgym": {"apiVersion": 1, "plugin": "./dist/index.js"} to package.json.',
    },
    'api-version': {
      why: 'The host refuses a plugin for another version of the API before it runs any of its code.',
      cure: 'Write the number that this agentgym has, and follow the change log where it rose.',
    },
    'oclif-field': {
      why: '`agentgym plugins link` and `install` take packages with an `oclif` field only.',
      cure: 'Add "oclif": {} to package.json.',
    },
    'entry-file': {
      why: 'The host imports this file; where it is missing the plugin is left out with all it contributes.',
      cure: 'Build the package, and name a file inside of it that the build writes.',
    },
    exports: {
      why: 'Programs and tests import the package by its name; a door that leads elsewhere, or nowhere, breaks them.',
      cure: 'Let `exports["."]` lead to the entry that `agentgym.plugin` names, with "./package.json" beside it.',
    },
    'module-type': {
      why: 'A file with `import` and `export` in a package that is not a module is parsed twice, or refused by older Node.',
      cure: 'Add "type": "module" to package.json.',
    },
    files: {
      why: 'Without the list npm packs sources, tests and whatever else lies about; with a wrong one the entry stays at home.',
      cure: 'List what runs, such as "files": ["/dist/**/*.js", "/dist/**/*.d.ts"], and look at `npm pack --dry-run`.',
    },
    engines: {
      why: 'Where nothing is said of Node, an older one installs the package and fails in the middle of a run.',
      cure: 'Add "engines": {"node": ">=20.19"} to package.json.',
    },
    'host-peer': {
      why: 'As a dependency, a required peer or a narrow range, npm would install a second host beside the first, or refuse the plugin at the next minor version.',
      cure: 'Declare "peerDependencies": {"@agentgym/cli": ">=0.1.0 <2"} and mark it optional in `peerDependenciesMeta`; `apiVersion` is the gate.',
    },
    'host-import': {
      why: 'A globally installed host cannot be found by import from a plugin: it would work in your checkout alone.',
      cure: 'Import types only (`import type`); take everything else from the `host` that create() is handed.',
    },
    'plugin-import': {
      why: 'The other plugin need not be installed, and two copies of it would not know of each other.',
      cure: 'Move what both need into a package of its own, or hand it over through a contract.',
    },
    'undeclared-import': {
      why: 'It is found here because something else installed it, and will be missing where your package is installed alone.',
      cure: 'Add it to `dependencies`.',
    },
    'up-to-date': {
      why: 'What is checked, packed and run would not be what stands in the sources.',
      cure: 'Build again.',
    },
    types: {
      why: 'Whoever configures or tests the plugin in TypeScript gets no types, or an error.',
      cure: 'Emit declarations, and name them first in `exports["."].types`.',
    },
    readme: {
      why: 'The registry shows the README; without it nobody knows what the tasks are and what they need.',
      cure: 'Write README.md: what it is, how to install and use it, its options, where its data comes from.',
    },
    license: {
      why: 'What has no licence may not be used.',
      cure: 'Add a LICENSE file, and its SPDX identifier as `license` in package.json.',
    },
    'install-scripts': {
      why: 'A script of a stranger that runs at installation is announced, and many machines refuse it.',
      cure: 'Do the work at build time, or on first use in `host.cacheDirectory`.',
    },
  },
  entry: {
    'entry-loads': {
      why: 'A plugin whose entry does not load is left out, with everything it contributes.',
      cure: 'Import the entry by itself in Node and mend what it throws; move whatever may fail into load() or create().',
    },
    'entry-deadline': {
      why: 'Every command of agentgym imports every plugin: one that hangs, hangs them all until they give up on it.',
      cure: 'Export the list at once; download, compile and connect in load(), open() or create().',
    },
    'entry-exits': {
      why: 'It would end agentgym itself, whichever command was typed.',
      cure: 'Throw an error instead of calling process.exit.',
    },
    'entry-silent': {
      why: 'Under `--json` standard output is one document, which a line of a plugin makes unreadable.',
      cure: 'Print nothing; speak through `host.log`.',
    },
    'entry-shape': {
      why: 'The host takes a list of contributions and nothing else.',
      cure: 'Mend the place that is named; `satisfies EnvironmentContribution<typeof options>` finds it while you type.',
    },
    'entry-ends': {
      why: 'A timer or socket that is opened at import keeps every command from ending.',
      cure: 'Open nothing before open() or create(), and close it in close() or dispose().',
    },
    'entry-global-state': globalState,
  },
  contribution: {
    load: {
      why: 'It is listed, and fails when somebody uses it.',
      cure: 'Let load() import the module, and the module export what its contract names.',
    },
    options: {
      why: 'What validate() says is shown to users; a complaint without place or cure helps nobody, and one that throws ends the command.',
      cure: 'Answer with a list of {path, message, hint} for any options that the declaration allows, the defaults without complaint.',
    },
    deadline: {
      why: 'A run would wait for ever, or lose the episode to its deadline.',
      cure: 'Give every wait of your own a limit, and look for loops that have no end.',
    },
    exits: {
      why: 'It would take the whole run with it.',
      cure: 'Throw an error instead of ending the process, and catch the errors of streams, workers and child processes.',
    },
    silent: {
      why: 'Under `--json` standard output is one document, which a line of a plugin makes unreadable.',
      cure: 'Print nothing; speak through `host.log`.',
    },
    ends: {
      why: 'The command would be done and never end: something that dispose() should have closed holds the process open.',
      cure: 'Close sockets, timers, workers and child processes in dispose(), or unref() them.',
    },
  },
  environment: {
    create: {
      why: 'Nothing can be played in it: every run that names it ends at once.',
      cure: 'Make open() and create() work with the declared defaults, and give every member that the contract names.',
    },
    available: {
      why: 'A run would end at once, to be resumed when the world is there; nothing else could be checked.',
      cure: 'Start what it needs, or say in an option where it is; throw `UNAVAILABLE` only where the world itself is down.',
    },
    'task-ids-stable': {
      why: 'Splits, demonstrations and reports name tasks by id: where ids move, evaluation may meet training tasks.',
      cure: 'Make id(place) a pure function of options and place; sort what is listed by code units.',
    },
    'task-ids-unique': {
      why: 'A task that stands twice counts twice, and intervals come out too narrow.',
      cure: 'Give each place an id of its own that says all that makes the task.',
    },
    'splits-disjoint': {
      why: 'Success on held-out tasks would measure memory.',
      cure: 'Cut the splits from one list, or by a hash or residue of what makes the task.',
    },
    'task-random': {
      why: 'Training would draw tasks of validation or test, or other tasks each time.',
      cure: 'Draw a place of the split from the stream that random() is given, and return its id.',
    },
    about: {
      why: 'Intervals, splits and tables rest on clusters and labels: where they change, so do the results of one run.',
      cure: 'Make about(task) a pure function of options and task, with texts and finite numbers; number nothing by its order.',
    },
    'clusters-apart': {
      why: 'Tasks of one cluster stand or fall together: success on held-out tasks would measure memory.',
      cure: 'Deal whole clusters to the splits; where a benchmark is published with shared ones, say `sharesClusters: true`.',
    },
    'shares-clusters': {
      why: 'Results would be told apart by tasks seen in training and unseen, and one of the two would be empty.',
      cure: 'Leave `sharesClusters` out, or let about() tell the clusters.',
    },
    reset: {
      why: 'The task cannot be played: its episodes fail, are retried, and end the run past a limit.',
      cure: 'Let reset() read every id that the splits list, with nothing but what the package brings along.',
    },
    'random-play': {
      why: 'An exception makes a failed episode, which nothing is learnt from; the random baseline would be missing.',
      cure: "Answer any action with a step result, and let act('random') have something to say in every state.",
    },
    'sample-action': {
      why: 'A random baseline that plays nonsense makes any policy look good.',
      cure: "Let act('random') write actions as step() reads them.",
    },
    'step-result': {
      why: 'What is no text, no finite number or no JSON reaches the log, the reward and the gradient.',
      cure: 'Return {observation, reward, terminated, truncated, facts: {success, invalid}} from every step.',
    },
    'progress-range': {
      why: 'Reward schemes pay progress as a share: beyond 1, a failure could be worth more than a success.',
      cure: 'Divide by the whole.',
    },
    'progress-falls': {
      why: 'Progress that comes and goes can be farmed: the agent is paid again for what it undid.',
      cure: 'Report the best so far, or declare `progressFalls: true` so that schemes know.',
    },
    milestones: {
      why: 'Schemes pay for milestones by their number; a total that moves breaks their bounds.',
      cure: 'Fix the total in reset(), and count a milestone once.',
    },
    facts: {
      why: 'A reward that needs a fact is refused for, or starves on, an environment that does not name it.',
      cure: 'List in the contribution exactly the facts that every step reports.',
    },
    'success-ends': {
      why: 'Turns after the solution cost tokens and teach nothing.',
      cure: 'Terminate on the turn that solves the task.',
    },
    'success-falls': {
      why: 'Whether the task is solved is read at the end: a success would be counted as a failure.',
      cure: 'Let `success` speak of the task, not of the last action.',
    },
    ending: {
      why: 'Terminated is worth 0 from there on, truncated is worth what the critic says: it cannot be both.',
      cure: 'Where a cap is reached on the turn on which the task ends, it is terminated.',
    },
    'observation-length': {
      why: 'What is longer is cut with a mark before anybody reads it: the agent would miss the end.',
      cure: 'Show a page at a time, or say in the contribution how much is to be shown: `play.observationCharacters`.',
    },
    players: {
      why: 'A player that is named and cannot act fails every episode of it.',
      cure: 'Name in `experts` exactly whom act() knows.',
    },
    conclude: {
      why: 'What a cut episode comes to is its reward: it would differ from run to run, or spoil the next episode.',
      cure: 'Grade what stands, as a function of the episode alone; report the declared facts, and let reset() begin anew.',
    },
    oracle: {
      why: 'Demonstrations, upper baselines and the proof that tasks can be solved all come from the oracle.',
      cure: 'Let it plan from the present state, in the grammar of step(); leave out tasks that have no solution.',
    },
    'maximum-turns': {
      why: 'Horizons are taken from maxTurns: tasks that need more can never be solved.',
      cure: 'Raise `maxTurns` of the world, or leave out the longer tasks.',
    },
    deterministic: {
      why: 'Nothing can be repeated, resumed or debugged where the same task and actions give other answers.',
      cure: 'Draw every random number from the stream that reset() is given.',
    },
    'independent-episodes': {
      why: 'Episodes share instances in an order that nobody promises: results would depend on it.',
      cure: 'Set up everything anew in reset(), and copy tables before an episode changes them.',
    },
    'questions-change-nothing': {
      why: 'Players and state keys are asked at will; the episode would depend on who looked.',
      cure: 'Let act(), admissible(), stateKey() and snapshot() read and never write; act() draws from its own stream alone.',
    },
    snapshot: {
      why: 'Search and forked groups would go on from a state that never was.',
      cure: 'Put the whole state into the snapshot, copied, and take all of it back in restore(); or offer neither.',
    },
    'state-key': {
      why: 'States are counted and matched by their key: two that differ would be taken for one.',
      cure: 'Put everything into the key that a future action could tell apart.',
    },
    'fresh-process': {
      why: 'Runs are resumed in other processes and repeated on other machines.',
      cure: 'Compare strings by code units, format numbers and dates without locale, and keep nothing between tasks.',
    },
    'worker-thread': {
      why: 'With `thread: worker` it is played in threads, with the same recipe: results would depend on where.',
      cure: 'Leave alone what only the main thread has, such as process.chdir, and do not ask which thread it is.',
    },
    'tasks-differ': {
      why: 'A thousand ids of one task are one task: training overfits it, and evaluation shows nothing.',
      cure: 'Make the task of its id; what `random` is for is chance within the episode.',
    },
    'instances-apart': {
      why: 'Many episodes are in flight at once, each on an instance: one would play the moves of another.',
      cure: 'Move the state of an episode from the module into what create() returns.',
    },
    neighbours: {
      why: 'Dozens of episodes share a world, and some of them break off: one would end or change the others.',
      cure: 'Let dispose() free what its own instance holds and nothing else, and share only what no episode changes.',
    },
    'creation-order': {
      why: 'How many instances there are, and which plays what, is chance: results would depend on it.',
      cure: 'Take random numbers from the calls alone, and number nothing that an agent may see.',
    },
    'worlds-apart': {
      why: 'A run may hold several worlds of one environment: training, evaluation, other options.',
      cure: 'Keep what open() makes in the world that it returns, or count who uses it before it is freed.',
    },
    signals: {
      why: 'A run makes millions of calls: listeners pile up, and a late abort would hit an episode that is played by then.',
      cure: 'Remove the listener when the call ends, or pass the signal on to what is waited for; keep none.',
    },
    'global-random': globalRandom,
    clock,
    'global-state': globalState,
    'hidden-state': {
      why: 'The agent would read the answer instead of finding it.',
      cure: 'Show what the rules let it see, and keep the rest in `facts.details`, which goes to the log alone.',
    },
    experts: {
      why: 'Demonstrations with illegal actions teach illegal actions.',
      cure: 'Let every expert answer every state with an action that step() takes.',
    },
    'malformed-throws': {
      why: 'A policy that is still learning writes anything; an exception loses the episode it should learn from.',
      cure: 'Answer what you cannot read with `facts.invalid: true` and a short hint.',
    },
    'malformed-invalid': {
      why: 'Nonsense that counts as an action is learnt as one.',
      cure: 'Match the whole action; look tables up with Object.hasOwn or a Map; read numbers by a pattern, not parseInt.',
    },
    'malformed-answer': {
      why: 'Every observation stands in the next prompt: an echo of megabytes ends the episode.',
      cure: 'Do not quote the action, or a few dozen characters of it, with toWellFormed().',
    },
    'malformed-slow': {
      why: 'One long text would hold up every other episode of the process.',
      cure: 'Refuse texts beyond a length first, and avoid nested repetitions in regular expressions.',
    },
    'unknown-task': {
      why: 'A misspelt or stale id would silently be another task.',
      cure: 'Match the id as a whole, and throw an error that names it.',
    },
    admissible: {
      why: 'Players that choose from the list, and advice that counts it, would be wrong.',
      cure: 'Make the list by the rules of step().',
    },
    dispose: {
      why: 'The pool disposes of instances at the end and after failures, at any time: an exception there hides the first.',
      cure: 'Let dispose() do nothing where there is nothing to free.',
    },
    close: {
      why: 'Worlds are closed at the end of a run and after failures: an exception there hides the first.',
      cure: 'Let close() do nothing where there is nothing to free.',
    },
    handles: {
      why: 'A run makes hundreds of instances: what each leaves open adds up until the process cannot open more, or never ends.',
      cure: 'Close timers, sockets and child processes in dispose() or close(); start child processes with host.spawn().',
    },
  },
  reward: {
    create,
    finite: {
      why: 'One NaN makes every advantage of its group NaN.',
      cure: 'Give facts that may be absent (progress, milestones, previous) a value before you count with them.',
    },
    pure: {
      why: 'Episodes are scored in no promised order, and again when a run is resumed.',
      cure: 'Read the past from `previous`, keep nothing in the scheme, and leave the turn as it is.',
    },
    'bounds-ordered': {
      why: 'Recipes are checked against the bounds before anything runs.',
      cure: 'Return [low, high], both finite, for success and for failure.',
    },
    'bounds-hold': {
      why: 'A bound that does not hold lets a recipe pass in which failing pays.',
      cure: 'Count every bonus and every penalty in bounds(), over as many turns as the horizon has.',
    },
    'bounds-discounted': {
      why: 'With a discount a late success may be worth less than an early bonus, and nobody would be told.',
      cure: 'Read `discount` in bounds(): what comes in the last turn is worth discount ** (horizon - 1) of it.',
    },
    'success-above-failure': {
      why: 'Where a failure can score above a success, that is what the agent learns.',
      cure: 'Scale what is earned on the way so that all of it is less than the outcome, by default.',
    },
    density: {
      why: 'Reports and advice tell sparse from dense by this word.',
      cure: "Reward one turn at most, or say density: 'turn'.",
    },
    'global-random': globalRandom,
    clock,
    'global-state': globalState,
  },
  'reward on an environment': {
    create,
    'both-outcomes': {
      why: 'The law would hold of nothing.',
      cure: 'Take an environment that can be won and lost, with an oracle.',
    },
    law: {
      why: 'Where a failure can score above a success, that is what the agent learns.',
      cure: 'Scale what is earned on the way by how much of it there is, and pay a success for what it passed by.',
    },
    bounds: {
      why: 'Recipes are checked against the bounds before anything runs.',
      cure: 'Widen bounds() to what the environment really reports, or mend its facts.',
    },
  },
  algorithm: {
    create,
    'zero-outside-actions': {
      why: 'Loss on tokens that nobody sampled teaches the policy to write observations.',
      cure: 'Write credit and weights where `mask` is 1 only; host.credit.spreadOverTokens does it.',
    },
    finite: {
      why: 'One number that is not finite clears the whole step, or spoils the weights.',
      cure: 'Add an epsilon to deviations, and give groups of one and rows without a sampled token a credit of 0.',
    },
    'masked-noise': {
      why: 'Engines leave what they like where nothing was sampled: it would leak into the gradient.',
      cure: 'Select by the mask, never multiply with it: NaN times 0 is NaN.',
    },
    'state-suffices': {
      why: 'A resumed run makes a new instance and has the state alone: it would go on differently.',
      cure: 'Keep all memory in `state`, and return it.',
    },
    'state-json': {
      why: 'The state lives in the checkpoint: what JSON cannot hold is gone after resuming.',
      cure: 'Write plain lists, objects, strings and finite numbers.',
    },
    'batch-untouched': {
      why: 'The batch is used again by other epochs and by the log.',
      cure: 'Fill a new array.',
    },
    'rows-permuted': {
      why: 'Rows come in whatever order the episodes ended or were split.',
      cure: 'Find the members of a group by `batch.group` (host.credit.groupRows).',
    },
    'groups-apart': {
      why: 'The claim is read by those who choose an algorithm: an easy task would change what a hard one teaches.',
      cure: 'Take means and deviations over the group, or leave the claim out.',
    },
    'weights-normalised': {
      why: 'The size of the step would depend on the size of the minibatch.',
      cure: 'Divide by the tokens or sequences of the minibatch: host.credit.aggregationWeights does it.',
    },
    'loss-constant': {
      why: 'The loss is compiled once and used for every minibatch.',
      cure: 'Build it of its arguments and the options alone; what changes from batch to batch is data of the batch.',
    },
    'split-invariant': {
      why: 'Engines split minibatches to fit into memory: results would depend on the machine.',
      cure: 'Let the loss of a token read its own row alone (its own pair, where there are pairs).',
    },
    roles: {
      why: 'The trainer fills what `roles` and `critic` ask for and nothing else: the loss would read what is not there.',
      cure: 'Name the role, or do not read its arrays.',
    },
    direction: {
      why: 'The policy would unlearn what was rewarded.',
      cure: 'A loss is minimised: it begins with a minus.',
    },
    select: {
      why: 'What is selected becomes the rows of the batch; anything but the episodes given has no tokens.',
      cure: 'Return lists of the very episodes that were given; two each where `pairs` is promised.',
    },
    climbs: {
      why: 'However long it trains, the expected return would not rise.',
      cure: 'Credit each token with what came after it in its own episode, and look at signs and indices.',
    },
    unbiased: {
      why: 'The claim is what the estimator is chosen for: a bias moves the optimum, and no learning rate mends it.',
      cure: 'Leave the member itself out of its baseline, weigh episodes alike, do not normalise; or leave the claim out.',
    },
    'global-random': globalRandom,
    clock,
    'global-state': globalState,
  },
  policy: {
    create,
    'encoder-ids': {
      why: 'Ids that are no ids, or that change from call to call, make rollouts and training disagree.',
      cure: 'Let the encoder be a pure function to whole numbers from 0.',
    },
    'decode-round-trip': {
      why: 'Actions that demonstrations teach would be read as others when they are sampled.',
      cure: 'Undo in decode() exactly what encodeAction() did, blanks included, and leave end ids out.',
    },
    pieces: {
      why: 'People look at episodes token by token in the report.',
      cure: 'Spell control tokens, and bytes that are no character as \\xE2.',
    },
    'forged-markers': {
      why: 'Text of an environment or user could end a turn or play another role.',
      cure: 'Encode outside text with a tokenizer that knows no special tokens.',
    },
    answers: {
      why: 'What is sampled is what is trained on: a missing end token or log probability shifts everything after it.',
      cure: 'Return every sampled id with its log probability, the end token as the last.',
    },
    'end-ids': {
      why: 'The action format decides what ends an action.',
      cure: "Stop at the request's endIds and at nothing else.",
    },
    'draws-decide': {
      why: 'A resumed run samples the same tokens only if all the randomness is handed over.',
      cure: 'Use the draws of the request, one for each token, and no generator of your own; or do not promise `draws`.',
    },
    'batch-independent': {
      why: 'Which episodes share a call is a matter of who answers first: results would depend on it.',
      cure: 'Mask padding in attention and positions, take the draws of the request itself; or do not promise `independent`.',
    },
    'sequence-reuse': {
      why: 'A cache that is off changes what is sampled without a sign of it.',
      cure: 'Compare the tokens of a known sequence before reusing what is remembered of it.',
    },
    'logprobs-agree': {
      why: 'The ratio of the two is what clipping and importance weights are made of: it must begin at 1.',
      cure: 'Take log-softmax(logits / temperature) over the whole vocabulary in both places; or do not promise `exact`.',
    },
    'temperature-zero': {
      why: 'Evaluation at temperature 0 must be the same each time.',
      cure: 'Take the highest logit, the lowest id on a tie, and record its log probability at temperature 1.',
    },
    'top-k-top-p': {
      why: 'Corrections need the log probability over the whole vocabulary.',
      cure: 'Filter what may be drawn, and record without the filter.',
    },
    abort: {
      why: 'Ctrl-C would wait for the whole batch.',
      cure: 'Look at the signal before and between tokens, and reject with its reason.',
    },
    'loss-value': {
      why: 'The loss that is minimised would not be the one that the algorithm wrote.',
      cure: 'Sum weight times term over sampled tokens; check each operation against credit/evaluate-loss.',
    },
    accumulation: {
      why: 'Micro-batches would be worth more or less than the batch they are cut from, or the last alone would count.',
      cure: 'Add to the gradient buffers in forwardBackward(), and never divide there.',
    },
    'masked-noise': {
      why: 'What engines and algorithms leave where nothing was sampled would leak into the gradient.',
      cure: 'Select by the mask, never multiply with it: NaN times 0 is NaN.',
    },
    'empty-batch': {
      why: 'A minibatch without a sampled token would make every weight NaN.',
      cure: 'Do not divide by a count of tokens; the weights are already normalised.',
    },
    'not-finite': {
      why: 'One bad batch would end the training for good.',
      cure: 'Look at the norm before applying; clear, report `applied: false`, and keep weights and version.',
    },
    learns: {
      why: 'It does not learn, or turns are stamped with the wrong version and their ratio is off.',
      cure: 'Subtract the gradient, let generate() see the new weights, and raise policyVersion by one with each applied step.',
    },
    'norm-before-clipping': {
      why: 'The log would show the bound instead of the gradient, and nobody would see it explode.',
      cure: 'Return the norm that was measured before scaling.',
    },
    'reading-keeps-gradients': {
      why: 'Log probabilities are asked for between micro-batches.',
      cure: 'Keep reading and learning apart: no forward pass may touch the gradient buffers.',
    },
    'reset-optimizer': {
      why: 'The first step of a stage would carry the gradient of the stage before.',
      cure: 'Clear gradients together with the moments.',
    },
    values: {
      why: 'Advantages of a critic that is shifted by a token are noise.',
      cure: 'Read the value before the token, and let its loss reach the head.',
    },
    'finite-differences': {
      why: 'It would climb another hill than the loss describes.',
      cure: 'Check the derivative of each operation by finite differences, and that every weight is reached.',
    },
    operations: {
      why: 'Budgets and reports compare runs by what was computed.',
      cure: 'Count from lengths, not from padded shapes, and clear the count when it is taken.',
    },
    freeze: {
      why: 'A reference that moves along holds nothing back.',
      cure: 'Copy the weights.',
    },
    'save-load': {
      why: 'A resumed run would not be the run that was interrupted.',
      cure: 'Save weights, moments, step number and version without losing a bit.',
    },
    'load-nothing': {
      why: 'A mistyped path would start from scratch without a word.',
      cure: 'Throw where a file is missing.',
    },
  },
  format: {
    create,
    'round-trip': {
      why: 'Demonstrations are written by render() and read by parse(): they would teach malformed text.',
      cure: 'Let parse(render(action)) be the action, for any action.',
    },
    'never-throws': {
      why: 'A policy that is still learning writes anything; an exception ends the episode.',
      cure: 'Refuse what you cannot read: {malformed: reason, observation: reply}.',
    },
    swift: {
      why: 'One long text would hold up every episode of the process.',
      cure: 'Search with indexOf, or with patterns that cannot match the same characters in two ways.',
    },
    repeatable: {
      why: 'The same text would be an action in one episode and none in the next.',
      cure: 'Keep nothing between calls; leave the flag g off, or use matchAll.',
    },
    'short-reply': {
      why: 'The reply stands in the next prompt, and fills it.',
      cure: 'Say what is wanted in a sentence, and do not quote the text.',
    },
    'no-empty-action': {
      why: 'The environment is sent nothing, and the blame falls on it instead of on the text.',
      cure: 'Refuse brackets without content as malformed.',
    },
    instructions: {
      why: 'They are part of every prompt, tokens and all.',
      cure: 'Write a constant of a few sentences.',
    },
    'global-state': globalState,
  },
  tool: {
    create,
    example: {
      why: 'The policy learns the call from what the tool says of itself; a call that is kept in an episode must survive JSON.',
      cure: 'Let instructions, example and parse speak of one syntax, and make calls of plain objects, lists, strings and numbers.',
    },
    'never-throws': {
      why: 'Every text of every turn is shown to the tool first; an exception ends the episode, and a long reason fills it.',
      cure: 'Answer {malformed: reason} in a clause of your own words, or undefined for texts that are none of its business.',
    },
    'leaves-alone': {
      why: 'A turn that a tool claims does not reach the environment: nobody could act any more.',
      cure: 'Claim texts by marks that no action has, such as tags of the name of the tool.',
    },
    swift: {
      why: 'One long text would hold up every episode of the process.',
      cure: 'Search with indexOf, or with patterns that cannot match the same characters in two ways.',
    },
    repeatable: {
      why: 'The same text would be a call in one episode and none in the next.',
      cure: 'Keep nothing between calls of parse; leave the flag g off, or use matchAll.',
    },
    answers: {
      why: 'What is thrown is an episode that failed: it is played again, and the agent never learns that the call was wrong.',
      cure: 'Answer {output, failed: true} for what the agent did wrong; throw what it cannot help.',
    },
    'plain-output': {
      why: 'The output becomes an observation: control characters and markers of chat templates are not for a policy to read.',
      cure: 'Write plain sentences, and leave out or escape what was read elsewhere.',
    },
    deterministic: {
      why: 'A run could not be repeated or resumed, and two plays of a task could not be compared.',
      cure: 'Draw from `random`, ask no clock, or declare `external: true`.',
    },
    'creation-order': {
      why: 'How many instances there are, and which of them an episode gets, is chance: results would depend on it.',
      cure: 'Number nothing, and draw from the `random` of begin() and of the call.',
    },
    'sessions-apart': {
      why: 'Episodes are played side by side in an order that nobody promises: results would depend on it.',
      cure: 'Make the state of an episode in begin(), and keep it in the session.',
    },
    stops: {
      why: 'A call that does not stop holds up the whole wave of episodes, and Ctrl-C with it.',
      cure: 'Pass `signal` to whatever is waited for, and look at it in long loops.',
    },
    dispose: {
      why: 'The host frees sessions and tools wherever a run may end: an exception there hides the first one.',
      cure: 'Remember what is freed already, and free what is there.',
    },
    handles: {
      why: 'Training does not end, or a long run comes to have no files and sockets left.',
      cure: 'Clear timers, and close sockets and child processes, in dispose().',
    },
  },
};
