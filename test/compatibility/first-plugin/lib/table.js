// dist/testing/tabular-policy.js
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

// dist/errors/error-codes.js
var errorCodes = {
  AG_ABLATION_AXIS: {
    exitCode: 2,
    meaning: 'The recipe or its environment cannot be varied along the named axis.',
    cause:
      'The environment declares no levels for its options, or the recipe has none of what the axis varies (no `rl` stage, one preset).',
    cure: 'Take another axis or recipe, give `--values`, or write a grid file.',
  },
  AG_ABLATION_CHANGED: {
    exitCode: 2,
    meaning: 'The folder of an ablation holds something else than the ablation wrote there.',
    cause: 'A file of a run in it was edited, or another ablation was written to the same `--output`.',
    cure: 'Restore the file that is named, or remove the folder that is named: what is missing is run again.',
  },
  AG_ABLATION_GRID: {
    exitCode: 2,
    meaning: 'The cells of an ablation are too many, or two are the same, or one is named that is not there.',
    cause: 'Several keys with several values each multiply; or one value of a key equals what the recipe says already.',
    cure: 'Change the grid, or confirm its size with `--yes`.',
  },
  AG_ABLATION_NOT_FOUND: {
    exitCode: 2,
    meaning: 'There is no such axis, or no such ablation file.',
    cause: 'A misspelt axis, or a file named without its path or extension.',
    cure: '`agentgym ablate --help` names the axes; a file is given by its path.',
  },
  AG_ABLATION_PILOT: {
    exitCode: 2,
    meaning: 'The short run that an estimate is made of did not come to its end.',
    cause: 'The recipe itself fails to train, for example because an episode needs more memory than there is.',
    cure: 'Train the recipe alone by `agentgym train` to see what is wrong.',
  },
  AG_BUG: {
    exitCode: 70,
    meaning: 'Something went wrong inside agentgym itself.',
    cause: 'A case that nobody thought of.',
    cure: 'Report it with the command, the message and the output of `agentgym doctor --json`.',
  },
  AG_CHECKPOINT_BROKEN: {
    exitCode: 2,
    meaning: 'A checkpoint is truncated or damaged, so the run cannot go on from it.',
    cause: 'A full disk, a copy that was cut short, or a machine that lost power.',
    cure: "Remove that checkpoint's folder and resume again: the newest older one is taken.",
  },
  AG_CHECKPOINT_WRITE_FAILED: {
    exitCode: 2,
    meaning: 'A checkpoint could not be written, for example because the disk is full; the older ones stay valid.',
    cause: 'A full disk, or a folder that lost its permissions.',
    cure: 'Free disk space, then go on with `agentgym train --resume RUN`.',
  },
  AG_COMMAND_FAILED: {
    exitCode: 2,
    meaning: 'A command of another package, such as `agentgym plugins install`, could not do what it was asked.',
    cause: 'A package that does not exist, a registry that cannot be reached, or a plugin that is not installed.',
    cure: 'Read what the command takes with `agentgym COMMAND --help`.',
  },
  AG_COMMAND_UNKNOWN: {
    exitCode: 2,
    meaning: 'There is no command of that name.',
    cause: 'A typing error, or a command of a plugin that is not installed.',
    cure: 'List the commands with `agentgym --help`.',
  },
  AG_COMMAND_USAGE: {
    exitCode: 2,
    meaning: 'A command was given a flag or an argument that it does not take, or lacks one that it needs.',
    cause: 'A misspelt flag, a flag without its value, or two flags that exclude each other.',
    cure: "Read the command's flags and examples with `agentgym COMMAND --help`.",
  },
  AG_CONTRIBUTION_CONFLICT: {
    exitCode: 2,
    meaning: 'Two plugins contribute something of the same kind and name.',
    cause: 'A plugin was installed and a copy of it linked, or two authors chose one name.',
    cure: 'Uninstall one of the two with `agentgym plugins uninstall PLUGIN`.',
  },
  AG_CONTRIBUTION_UNKNOWN: {
    exitCode: 2,
    meaning: 'No installed plugin contributes an environment, reward, policy, algorithm or format of that name.',
    cause: 'A misspelt name, or a plugin that is not installed.',
    cure: 'See what there is with `agentgym list`; install more with `agentgym plugins install`.',
  },
  AG_DEMONSTRATION: {
    exitCode: 2,
    meaning: "Demonstrations cannot be read, or cannot be written in the policy's action format and tokens.",
    cause: 'A file of demonstrations that was made for another action format, or a line that is no JSON.',
    cure: 'Mend the line that is named: `{"observations": [...], "texts": [...]}`, as many observations as texts, or one more.',
  },
  AG_EPISODES_FAILED: {
    exitCode: 2,
    meaning:
      'More episodes of a collection failed than `rollout.maxFailedShare` allows: infrastructure broke, not the policy.',
    cause: '`reset` or `step` of the environment threw, or took longer than its deadline.',
    cure: 'Mend what the message names, then go on with `agentgym train --resume RUN`.',
  },
  AG_FIGURE_EMPTY: {
    exitCode: 2,
    meaning: 'A figure was to be drawn of what no run measured.',
    cause: 'A metric that is misspelt, or one that only runs with `evaluation.every` above 0 have.',
    cure: 'Choose another `--metric` or `--by`; evaluations during training are made with `evaluation.every`.',
  },
  AG_GIT_FAILED: {
    exitCode: 2,
    meaning: 'A git repository was asked for and could not be made.',
    cause: 'git is not installed, or a hook or a missing name of the committer stopped it.',
    cure: 'Mend what the message names, or begin the repository yourself with `git init`.',
  },
  AG_INIT_NAME: {
    exitCode: 2,
    meaning: 'A name given to `agentgym init` is no name that npm takes for a package.',
    cause: 'Capitals, spaces or signs in the name, or a name that npm or Node.js keeps for itself.',
    cure: 'Choose another with `--name`: small letters, digits and hyphens, such as `env-mine`.',
  },
  AG_INIT_TARGET: {
    exitCode: 2,
    meaning:
      'The folder that `agentgym init` should write to is a file, holds something already, or cannot be written.',
    cause: 'A folder that is in use already, a misspelt path, or a place that belongs to somebody else.',
    cure: 'Choose another folder, or overwrite the files of the template there with `--force`.',
  },
  AG_INIT_TEMPLATE: {
    exitCode: 2,
    meaning: '`agentgym init` has no template of that name.',
    cause: 'A misspelt name after `--template`.',
    cure: '`agentgym init --help` names the templates.',
  },
  AG_INTERRUPTED: {
    exitCode: 130,
    meaning: 'The run was interrupted; everything needed to go on is on disk.',
    cause: 'Ctrl-C, a SIGTERM, or `stopAfter`; in `play` an input that ended before the game.',
    cure: 'Go on with `agentgym train --resume RUN`.',
  },
  AG_LOSS_INPUT: {
    exitCode: 70,
    meaning: 'A loss reads something that the batch or the policy model does not have.',
    cause: 'An algorithm uses `value` or `referenceLogprobs` without naming the role.',
    cure: 'An algorithm names the roles it needs in `roles`: `reference` fills `referenceLogprobs`, `critic` fills `values` and `value`.',
  },
  AG_NOT_A_RUN: {
    exitCode: 2,
    meaning: 'A folder was given as a run, but holds no readable manifest of one.',
    cause: 'The folder above a run was named, or a run whose first files were never written.',
    cure: 'List the runs there are with `agentgym runs list`.',
  },
  AG_NO_EXPERT: {
    exitCode: 2,
    meaning: 'An environment was asked for an expert that it does not have.',
    cause: 'Demonstrations or a baseline were asked of an environment that can only be played at random.',
    cure: '`agentgym describe environment NAME` lists its experts.',
  },
  AG_OPTION_INVALID: {
    exitCode: 2,
    meaning: 'An option of a contribution has no such name, or its value is of the wrong type or out of bounds.',
    cause: 'A misspelt option, or a text where a number belongs.',
    cure: 'See the options with `agentgym describe KIND NAME`.',
  },
  AG_OUTPUT_EXISTS: {
    exitCode: 2,
    meaning: 'The folder that a new run should be written to exists already.',
    cause: 'The same command was given twice.',
    cure: 'Choose another `--output`, or go on with that run by `agentgym train --resume RUN`.',
  },
  AG_PLAYER_UNKNOWN: {
    exitCode: 2,
    meaning: 'A policy was named that is no run, no folder with a model, and no player of the environment.',
    cause: 'A run of another folder, or a misspelt expert.',
    cure: 'Runs are listed by `agentgym runs list`; every environment has the player `random`.',
  },
  AG_PLUGIN_CHECK: {
    exitCode: 2,
    meaning: 'There is no such plugin to check, or no check of that name.',
    cause: 'There is no such folder, package or check; or the folder holds no package.json.',
    cure: 'Give the folder of a plugin or the name of an installed one; docs/reference/checks.md lists the checks.',
  },
  AG_PLUGIN_FAILED: {
    exitCode: 2,
    meaning: 'A plugin threw an error while it was loaded, created or asked something.',
    cause: 'An option that the plugin cannot work with, a missing file, or a defect of the plugin.',
    cure: 'Look at it with `agentgym doctor`; if its set-up is right, report the message to the author of the plugin.',
  },
  AG_PLUGIN_INSTALL_FAILED: {
    exitCode: 2,
    meaning: 'npm or git could not install a plugin; what was installed before stays as it is.',
    cause: 'A dependency that cannot be had, a full disk, or a script of the package that failed.',
    cure: 'Read what npm or git said, mend it, and run the same command again.',
  },
  AG_PLUGIN_NOT_FOUND: {
    exitCode: 2,
    meaning: 'A plugin was to be installed that does not exist: no such package, version, file, folder or repository.',
    cause: 'A misspelt name or path, a version that was never published, or a package of another registry.',
    cure: 'Give a package name, a folder, a tarball or a git URL; see `agentgym plugins install --help`.',
  },
  AG_PLUGIN_NOT_INSTALLED: {
    exitCode: 2,
    meaning: 'A plugin was named that is not installed, or one that comes with agentgym and cannot be removed.',
    cause: 'A misspelt name, or the set of plugins of another user or data folder.',
    cure: 'See what is installed with `agentgym plugins`.',
  },
  AG_PLUGIN_REFUSED: {
    exitCode: 2,
    meaning:
      'A package is no plugin that this agentgym can use: its declaration, version, entry or contributions are wrong. Nothing was changed.',
    cause:
      'A package that is no plugin, was not built before it was packed, or was written for another version of agentgym.',
    cure: 'Install another version, or report the message to the author of the plugin.',
  },
  AG_PLUGIN_STORE_BUSY: {
    exitCode: 2,
    meaning: 'Another process is changing the installed plugins, and did not end in time.',
    cause: 'Two commands at once, or a long installation that is still going on.',
    cure: 'Wait until that process ends, then run the same command again.',
  },
  AG_PLUGIN_UNREACHABLE: {
    exitCode: 2,
    meaning: 'The package registry, or the host of a repository, cannot be reached, refuses access or does not work.',
    cause: 'No network, a proxy that is not configured, a registry that wants a token, or one that is down.',
    cure: 'Check the network and `npm config get registry`; a plugin is installed without a network from a folder or a tarball.',
  },
  AG_PLUGIN_VERSION: {
    exitCode: 2,
    meaning: 'A recipe asks, under `plugins`, for a package that is not installed, or for another version of it.',
    cause: 'The recipe was written on a machine with other versions of plugins.',
    cure: 'Install a version that it asks for, or change `plugins` in the recipe.',
  },
  AG_POLICY_ANSWER: {
    exitCode: 70,
    meaning: 'A policy model answered a request in a way that its contract rules out.',
    cause: "A defect of the policy's plugin.",
    cure: "Report it to the author of the policy's plugin, with the output of `agentgym doctor --json`.",
  },
  AG_POLICY_CANNOT: {
    exitCode: 2,
    meaning: 'A recipe combines an algorithm with a policy that cannot do what the algorithm needs.',
    cause:
      'A KL coefficient above 0 with a policy that keeps no reference, or a critic with one that has no value head.',
    cure: 'Choose another policy or algorithm, or switch off what is named (a KL coefficient of 0 needs no reference).',
  },
  AG_RECIPE_IDLE_SETTING: {
    exitCode: 2,
    meaning: 'A recipe, or a `--set`, says something that has no effect beside another setting.',
    cause: 'A key was left behind when another was changed, such as a clip beside one epoch of one minibatch.',
    cure: 'Remove the one or change the other; what was inherited by `extends` is removed by giving it the value null.',
  },
  AG_RECIPE_INVALID: {
    exitCode: 2,
    meaning: 'A value in a recipe is missing, of the wrong type, out of bounds, or contradicts another.',
    cause: 'A text where a number belongs, a bound that was passed, or a schedule that is longer than its stage.',
    cure: 'See `docs/reference/recipe.md` for what each key takes.',
  },
  AG_RECIPE_NOT_FOUND: {
    exitCode: 2,
    meaning: 'There is no recipe file or built-in recipe of that name.',
    cause: 'A misspelt name, or a file named without its extension.',
    cure: 'Give the path of a recipe, or the name of a built-in one: `agentgym list recipes`.',
  },
  AG_RECIPE_SYNTAX: {
    exitCode: 2,
    meaning: 'A recipe file is not well-formed YAML, JSON or TypeScript.',
    cause: 'A tab or a wrong indentation in YAML, a comma too many in JSON.',
    cure: 'Mend the file at the line that the error names.',
  },
  AG_RECIPE_UNKNOWN_KEY: {
    exitCode: 2,
    meaning: 'A recipe has a key that nothing reads.',
    cause: 'A misspelt key, or a key of a plugin that was not put under `options`.',
    cure: 'See `docs/reference/recipe.md` for the keys there are.',
  },
  AG_REPORT_WRITE_FAILED: {
    exitCode: 2,
    meaning: 'A report could not be written, for example because its folder is read-only or the disk is full.',
    cause: 'A folder that is not yours, or a file that is open in a program that locks it.',
    cure: 'Choose a file that can be written with `--output FILE`.',
  },
  AG_RESUME_MISMATCH: {
    exitCode: 2,
    meaning: 'A run was to be resumed with another recipe than the one that made it.',
    cause: 'A recipe or a `--set` stands beside `--resume`, and differs from what the run was started with.',
    cure: 'Resume with `agentgym train --resume RUN` alone, or start a new run with the new recipe.',
  },
  AG_REWARD_INVERSION: {
    exitCode: 2,
    meaning: 'The weights, prices or discount of a reward allow a failure to score as much as a success.',
    cause: 'A price per turn or token that a long success pays until it is worth less than a failure.',
    cure: 'Lower the weights or prices beside the outcome, discount less, or accept it with `reward.allowInversion: true`.',
  },
  AG_REWARD_NOT_FINITE: {
    exitCode: 2,
    meaning: 'A reward term gave a number that is not finite.',
    cause: 'A division by zero in a reward scheme, or an environment whose progress is NaN.',
    cure: "Report it to the author of the reward's plugin, or leave the term out.",
  },
  AG_RUNS_INCOMPARABLE: {
    exitCode: 2,
    meaning: 'Runs were to be compared whose final evaluations are of different splits, or not of that temperature.',
    cause:
      'One run was evaluated on `test`, the other on `validation`; or only one has an evaluation at that temperature.',
    cure: 'Compare runs whose final evaluations are alike, or evaluate them alike by `agentgym evaluate`.',
  },
  AG_RUN_AMBIGUOUS: {
    exitCode: 2,
    meaning: "The beginning of a run's id fits several runs.",
    cause: 'One or two letters of the id were given.',
    cure: 'Give more letters of the id; `agentgym runs list` shows them.',
  },
  AG_RUN_DAMAGED: {
    exitCode: 2,
    meaning: 'A file of a run is shorter than the run itself recorded, or cannot be read.',
    cause: 'A log was edited, or the folder was copied while the run went on.',
    cure: 'Start a new run, or restore the file from a copy.',
  },
  AG_RUN_INEXACT: {
    exitCode: 2,
    meaning: 'A recipe with `exact: true` names something under which no two runs need be alike.',
    cause: 'An environment or a tool that is external, or a policy whose sampler promises too little.',
    cure: 'Leave out what the message names, or `exact: true`: the run is then marked inexact.',
  },
  AG_RUN_LOCKED: {
    exitCode: 2,
    meaning: 'Another process is working in the folder of a run.',
    cause: 'The run still goes on in another terminal.',
    cure: 'Wait for that process, or stop it by its process id; then try again.',
  },
  AG_RUN_NOT_FOUND: {
    exitCode: 2,
    meaning: 'There is no run of that path, id or beginning of an id.',
    cause: 'The command was given in another folder than the training; runs are looked up in `runs/`.',
    cure: 'List the runs there are with `agentgym runs list`.',
  },
  AG_RUN_WRITE_FAILED: {
    exitCode: 2,
    meaning: 'A file of a run could not be written, for example because the disk is full.',
    cause: 'A full disk, or a folder that lost its permissions.',
    cure: 'Free disk space, then go on with `agentgym train --resume RUN`.',
  },
  AG_SERVE_FAILED: {
    exitCode: 2,
    meaning: 'The pages of runs cannot be served as asked.',
    cause: 'A port that another program has, or an address that this machine does not have.',
    cure: 'Choose another `--host` or `--port`, and a folder that holds runs.',
  },
  AG_SET_INVALID: {
    exitCode: 2,
    meaning: 'A `--set` is not of the form `key.path=value`.',
    cause: 'The `=` is missing, or the shell took quotes and brackets away.',
    cure: 'Write it as `--set algorithm.groupSize=8`; the value is read as YAML.',
  },
  AG_SPLIT_LEAK: {
    exitCode: 2,
    meaning: 'A task of the training split is also one of validation or test.',
    cause: 'Splits drawn at random for each instance, or ids that two splits spell alike.',
    cure: "Report it to the author of the environment's plugin: its splits must be disjoint.",
  },
  AG_TRAINING_DIVERGED: {
    exitCode: 2,
    meaning: 'Losses or gradients were not finite several times in a row.',
    cause: 'A learning rate that is too high for the model, often right after the warm-up.',
    cure: 'Lower `optimizer.learningRate`, or clip harder with `optimizer.clipNorm`, and start a new run.',
  },
  AG_WORLD_UNAVAILABLE: {
    exitCode: 2,
    meaning: 'The world of an environment is down: a server that does not answer, a process that has ended.',
    cause: 'A server that was not started or has stopped, a wrong address, or a program that is missing.',
    cure: 'Bring it up again, then go on with `agentgym train --resume RUN`; `agentgym doctor` says what the environment needs.',
  },
};

// dist/errors/agentgym-error.js
var AgentgymError = class extends Error {
  code;
  name = 'AgentgymError';
  hint;
  file;
  line;
  path;
  findings;
  constructor(code, details) {
    super(details.message, details.cause === void 0 ? void 0 : { cause: details.cause });
    this.code = code;
    this.hint = details.hint ?? errorCodes[code].cure;
    if (details.file !== void 0) this.file = details.file;
    if (details.line !== void 0) this.line = details.line;
    if (details.path !== void 0) this.path = details.path;
    if (details.findings !== void 0) this.findings = details.findings;
  }
  /** 2: the user's to mend; 70: ours; 130: interrupted and resumable. */
  get exitCode() {
    return errorCodes[this.code].exitCode;
  }
};

// dist/credit/batch-columns.js
var batchColumns = {
  tokens: { array: Int32Array, per: 'token', padding: 0, optional: false },
  length: { array: Int32Array, per: 'row', padding: 0, optional: false },
  mask: { array: Uint8Array, per: 'token', padding: 0, optional: false },
  turn: { array: Int32Array, per: 'token', padding: -1, optional: false },
  weight: { array: Float64Array, per: 'token', padding: 0, optional: false },
  logprobs: { array: Float64Array, per: 'token', padding: 0, optional: false },
  referenceLogprobs: { array: Float64Array, per: 'token', padding: 0, optional: true, role: 'reference' },
  values: { array: Float64Array, per: 'token', padding: 0, optional: true, role: 'critic' },
  rewards: { array: Float64Array, per: 'token', padding: 0, optional: false },
  advantages: { array: Float64Array, per: 'token', padding: 0, optional: false },
  returns: { array: Float64Array, per: 'token', padding: 0, optional: true },
  klCoefficient: { array: Float64Array, per: 'token', padding: 0, optional: true },
  greedyReturn: { array: Float64Array, per: 'row', padding: 0, optional: true, role: 'greedy' },
  group: { array: Int32Array, per: 'row', padding: 0, optional: false },
  truncated: { array: Uint8Array, per: 'row', padding: 0, optional: false },
  bootstrapValue: { array: Float64Array, per: 'row', padding: 0, optional: false, role: 'critic' },
};
var entries = Object.entries(batchColumns);

// dist/credit/evaluate-loss.js
function evaluateLoss(batch, live, loss) {
  const sampled = sampledTokens(batch);
  const nodes = /* @__PURE__ */ new Map();
  const evaluate = (expression) => {
    const known = nodes.get(expression);
    if (known !== void 0) return known;
    const inputs = operands(expression).map(evaluate);
    const values = forward(expression, inputs, sampled, batch, live);
    const flows =
      expression.op === 'live' ||
      (expression.op !== 'stopGradient' && expression.op !== 'greater' && inputs.some((input) => input.live));
    const size2 = flows ? values.length : 0;
    const adjoint = new Float64Array(size2);
    const node = { expression, inputs, values, live: flows, adjoint, reached: new Uint8Array(size2) };
    nodes.set(expression, node);
    return node;
  };
  const terms = {};
  for (const [name, expression] of Object.entries(loss.terms)) {
    const term = evaluate(expression);
    let sum = 0;
    sampled.indices.forEach((index, token) => {
      const weight = batch.weight[index];
      sum += weight * term.values[token];
      if (!term.live) return;
      term.adjoint[token] += weight;
      term.reached[token] = 1;
    });
    terms[name] = sum;
  }
  const metrics = {};
  for (const [name, expression] of Object.entries(loss.metrics ?? {})) {
    metrics[name] = evaluate(expression).values.reduce((sum, value) => sum + value, 0);
  }
  const size = batch.rows * batch.width;
  const gradients = { logprob: new Float64Array(size), entropy: new Float64Array(size), value: new Float64Array(size) };
  for (const node of [...nodes.values()].reverse()) {
    if (!node.live) continue;
    if (node.expression.op === 'live') {
      const gradient = gradients[node.expression.name];
      sampled.indices.forEach((index, token) => {
        gradient[index] += node.adjoint[token];
      });
    } else {
      backward(node, sampled);
    }
  }
  return { terms, metrics, gradients };
}
function sampledTokens(batch) {
  const indices = [];
  const ranges = [];
  for (let row = 0; row < batch.rows; row += 1) {
    const start = indices.length;
    for (let index = row * batch.width; index < (row + 1) * batch.width; index += 1) {
      if (batch.mask[index] === 1) indices.push(index);
    }
    ranges.push([start, indices.length]);
  }
  return { indices, ranges };
}
function operands(expression) {
  if ('of' in expression) return [expression.of];
  if ('left' in expression) return [expression.left, expression.right];
  return expression.op === 'where' ? [expression.condition, expression.then, expression.otherwise] : [];
}
function forward(expression, inputs, sampled, batch, live) {
  const values = new Float64Array(sampled.indices.length);
  const x = inputs[0]?.values;
  const y = inputs[1]?.values;
  const each = (of) => {
    for (let token = 0; token < values.length; token += 1) {
      values[token] = of(x?.[token], y?.[token], token);
    }
    return values;
  };
  switch (expression.op) {
    case 'constant':
      return values.fill(expression.value);
    case 'batch': {
      const array = batchArray(batch, expression.name);
      sampled.indices.forEach((index, token) => (values[token] = array(index)));
      return values;
    }
    case 'live': {
      const array = live[expression.name];
      if (array === void 0) throw missing(expression.name, 'the policy model has no value head');
      sampled.indices.forEach((index, token) => (values[token] = array[index]));
      return values;
    }
    case 'add':
      return each((a, b) => a + b);
    case 'sub':
      return each((a, b) => a - b);
    case 'mul':
      return each((a, b) => a * b);
    case 'div':
      return each((a, b) => a / b);
    case 'min':
      return each((a, b) => Math.min(a, b));
    case 'max':
      return each((a, b) => Math.max(a, b));
    case 'greater':
      return each((a, b) => (a > b ? 1 : 0));
    case 'where':
      return each((condition, then, token) => (condition !== 0 ? then : inputs[2]?.values[token]));
    case 'exp':
      return each(Math.exp);
    case 'log':
      return each(Math.log);
    case 'logsigmoid':
      return each((a) => Math.min(a, 0) - Math.log1p(Math.exp(-Math.abs(a))));
    case 'stopGradient':
      return x;
    case 'sequenceSum':
    case 'sequenceMean':
      for (const [start, end2] of sampled.ranges) {
        let sum = 0;
        for (let token = start; token < end2; token += 1) sum += x[token];
        values.fill(expression.op === 'sequenceSum' ? sum : sum / (end2 - start), start, end2);
      }
      return values;
    case 'pairDifference':
      for (const { first, second, end: end2 } of pairs(sampled)) {
        values.fill(x[first] - x[second], first, end2);
      }
      return values;
  }
}
function backward(node, sampled) {
  const { expression, adjoint, reached, values } = node;
  const send = (input, token, amount) => {
    if (input?.live !== true) return;
    input.adjoint[token] += amount;
    input.reached[token] = 1;
  };
  const [left, right, otherwise] = node.inputs;
  const x = left?.values;
  const y = right?.values;
  const each = (receive) => {
    for (let token = 0; token < adjoint.length; token += 1) {
      if (reached[token] === 1) receive(token, adjoint[token], x[token], y?.[token]);
    }
  };
  switch (expression.op) {
    case 'add':
    case 'sub':
      return each((token, d) => {
        send(left, token, d);
        send(right, token, expression.op === 'add' ? d : -d);
      });
    case 'mul':
      return each((token, d, a, b) => {
        send(left, token, d * b);
        send(right, token, d * a);
      });
    case 'div':
      return each((token, d, a, b) => {
        send(left, token, d / b);
        send(right, token, (-d * a) / (b * b));
      });
    case 'min':
      return each((token, d, a, b) => send(a <= b ? left : right, token, d));
    case 'max':
      return each((token, d, a, b) => send(a >= b ? left : right, token, d));
    case 'where':
      return each((token, d, condition) => send(condition !== 0 ? right : otherwise, token, d));
    case 'exp':
      return each((token, d) => send(left, token, d * values[token]));
    case 'log':
      return each((token, d, a) => send(left, token, d / a));
    case 'logsigmoid':
      return each((token, d, a) => send(left, token, d / (1 + Math.exp(a))));
    case 'sequenceSum':
    case 'sequenceMean':
      for (const [start, end2] of sampled.ranges) {
        const sum = collect(node, start, end2);
        const share = expression.op === 'sequenceSum' ? sum : sum === void 0 ? void 0 : sum / (end2 - start);
        if (share !== void 0) for (let token = start; token < end2; token += 1) send(left, token, share);
      }
      return;
    case 'pairDifference':
      for (const { first, second, end: end2 } of pairs(sampled)) {
        const sum = collect(node, first, end2);
        if (sum === void 0) continue;
        send(left, first, sum);
        send(left, second, -sum);
      }
      return;
    case 'constant':
    case 'batch':
    case 'live':
    case 'greater':
    case 'stopGradient':
      return;
  }
}
function collect(node, start, end2) {
  let sum;
  for (let token = start; token < end2; token += 1) {
    if (node.reached[token] === 1) sum = (sum ?? 0) + node.adjoint[token];
  }
  return sum;
}
function* pairs({ ranges }) {
  for (let row = 0; row + 1 < ranges.length; row += 2) {
    const [first, second] = ranges[row];
    const [, end2] = ranges[row + 1];
    if (first < second && second < end2) yield { first, second, end: end2 };
  }
}
function batchArray(batch, name) {
  const { per, role } = batchColumns[name];
  const array = batch[name];
  if (array === void 0) {
    const asked = role === void 0 ? '' : `: an algorithm has to ask for the role \`${role}\``;
    throw missing(name, `the batch does not carry it${asked}`);
  }
  return per === 'row' ? (index) => array[Math.floor(index / batch.width)] : (index) => array[index];
}
function missing(name, why) {
  return new AgentgymError('AG_LOSS_INPUT', { message: `the loss reads \`${name}\`, but ${why}` });
}

// dist/testing/sample-token.js
function logSoftmax(logits, temperature) {
  const scaled = logits.map((logit) => logit / temperature);
  const top = scaled.reduce((highest2, value) => Math.max(highest2, value), -Infinity);
  const logTotal = top + Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - top), 0));
  return scaled.map((value) => value - logTotal);
}
function sampleToken(logits, sampling, draw) {
  const logprobs = logSoftmax(logits, sampling.temperature === 0 ? 1 : sampling.temperature);
  const token = sampling.temperature === 0 ? highest(logits) : drawn(logprobs.map(Math.exp), sampling, draw);
  return { token, logprob: logprobs[token] };
}
function highest(logits) {
  let best = 0;
  for (let id = 1; id < logits.length; id += 1) if (logits[id] > logits[best]) best = id;
  return best;
}
function drawn(probabilities, sampling, draw) {
  const kept = keep(probabilities, sampling);
  let total = 0;
  for (const id of kept) total += probabilities[id];
  let cumulative = 0;
  let last = kept[0];
  for (const id of kept) {
    const probability = probabilities[id];
    if (probability === 0) continue;
    cumulative += probability;
    last = id;
    if (cumulative >= draw * total) break;
  }
  return last;
}
function keep(probabilities, { topK, topP }) {
  const ids = [...probabilities.keys()];
  if (topK === 0 && topP >= 1) return ids;
  const likely = ids.sort((a, b) => probabilities[b] - probabilities[a] || a - b);
  const first = topK > 0 ? likely.slice(0, topK) : likely;
  const total = first.reduce((sum, id) => sum + probabilities[id], 0);
  let cumulative = 0;
  const count = first.findIndex((id) => (cumulative += probabilities[id]) >= topP * total);
  return first.slice(0, count === -1 ? first.length : count + 1).sort((a, b) => a - b);
}

// dist/testing/tabular-encoder.js
var markers = ['<unknown>', '<system>', '<observation>', '<action>', '<end>'];
var [unknown, system, observation, action, end] = [0, 1, 2, 3, 4];
function piecesOf(text, level) {
  if (level === 'character') return [...text];
  return text.match(/ ?[\p{L}\p{M}\p{N}_]+| ?[^\s\p{L}\p{M}\p{N}_]|\s/gu) ?? [];
}
var TabularEncoder = class _TabularEncoder {
  level;
  pieces;
  endIds = [end];
  #ids;
  /** @param pieces distinct pieces of text; the id of the first is the number of markers, 5 */
  constructor(level, pieces) {
    this.level = level;
    this.pieces = pieces;
    this.#ids = new Map(pieces.map((piece, index) => [piece, markers.length + index]));
  }
  /**
   * An encoder that knows every piece of these texts, in the order of their code units; a word also without the space before it, because
   * an action may begin with any word.
   */
  static fromTexts(level, texts) {
    const pieces = /* @__PURE__ */ new Set();
    for (const text of texts) {
      for (const piece of piecesOf(text, level)) pieces.add(piece).add(piece.length > 1 ? piece.trimStart() : piece);
    }
    return new _TabularEncoder(level, [...pieces].sort());
  }
  static fromJson(json) {
    return new _TabularEncoder(json['level'], json['pieces']);
  }
  toJson() {
    return { level: this.level, pieces: this.pieces };
  }
  get vocabularySize() {
    return markers.length + this.pieces.length;
  }
  begin(systemText, observationText) {
    const start = systemText === '' ? [] : [system, ...this.#encode(systemText)];
    return [...start, ...this.append(observationText)];
  }
  append(observationText) {
    return [observation, ...this.#encode(observationText), action];
  }
  encodeAction(text) {
    return this.#encode(text);
  }
  decode(ids) {
    return ids
      .map((id) => {
        if (id === unknown) return '\uFFFD';
        return id < markers.length ? '' : (this.pieces[id - markers.length] ?? '');
      })
      .join('');
  }
  piece(id) {
    return markers[id] ?? this.pieces[id - markers.length] ?? `<${id}>`;
  }
  #encode(text) {
    return piecesOf(text, this.level).map((piece) => this.#ids.get(piece) ?? unknown);
  }
};

// dist/random/create-random.js
import { hash } from 'node:crypto';
var MULTIPLIER_0 = 3528531795;
var MULTIPLIER_1 = 3449720151;
var WEYL_0 = 2654435769;
var WEYL_1 = 3144134277;
var ROUNDS = 10;
function multiplyHigh(a, b) {
  const aLow = a & 65535;
  const aHigh = a >>> 16;
  const bLow = b & 65535;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = (middle & 65535) + aLow * bHigh;
  return (aHigh * bHigh + Math.floor(middle / 65536) + Math.floor(carry / 65536)) >>> 0;
}
function philox4x32(counter, key0, key1) {
  let [c0, c1, c2, c3] = counter;
  for (let round = 0; round < ROUNDS; round += 1) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const low0 = Math.imul(MULTIPLIER_0, c0) >>> 0;
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low1 = Math.imul(MULTIPLIER_1, c2) >>> 0;
    c0 = (high1 ^ c1 ^ key0) >>> 0;
    c1 = low1;
    c2 = (high0 ^ c3 ^ key1) >>> 0;
    c3 = low0;
    key0 = (key0 + WEYL_0) >>> 0;
    key1 = (key1 + WEYL_1) >>> 0;
  }
  counter[0] = c0;
  counter[1] = c1;
  counter[2] = c2;
  counter[3] = c3;
}
var PhiloxRandom = class _PhiloxRandom {
  key;
  #keys;
  #block = 0;
  /** The last block; most streams only lead to others and never have one. */
  #words;
  #next = 4;
  constructor(path) {
    this.key = path;
  }
  uniform() {
    return ((this.#word() >>> 5) * 67108864 + (this.#word() >>> 6)) / 9007199254740992;
  }
  integer(low, high) {
    if (!(Number.isSafeInteger(low) && Number.isSafeInteger(high) && low < high)) {
      throw new RangeError(`no integer lies in [${low}, ${high})`);
    }
    return low + Math.floor(this.uniform() * (high - low));
  }
  normal() {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }
  choice(items) {
    if (items.length === 0) throw new RangeError('nothing to choose from');
    return items[this.integer(0, items.length)];
  }
  shuffle(items) {
    const result = [...items];
    for (let last = result.length - 1; last > 0; last -= 1) {
      const other = this.integer(0, last + 1);
      [result[last], result[other]] = [result[other], result[last]];
    }
    return result;
  }
  stream(...path) {
    return new _PhiloxRandom(this.key + path.map((part) => `/${JSON.stringify(part)}`).join(''));
  }
  #word() {
    const words = (this.#words ??= new Uint32Array(4));
    if (this.#next === 4) {
      this.#keys ??= keysOf(this.key);
      words[0] = this.#block >>> 0;
      words[1] = Math.floor(this.#block / 4294967296);
      words[2] = 0;
      words[3] = 0;
      this.#block += 1;
      philox4x32(words, ...this.#keys);
      this.#next = 0;
    }
    return words[this.#next++];
  }
};
function keysOf(path) {
  const digest = hash('sha256', path, 'buffer');
  return [digest.readUInt32LE(0), digest.readUInt32LE(4)];
}
function createRandom(seed) {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`a seed is a whole number, not ${seed}`);
  return new PhiloxRandom(String(seed));
}

// dist/testing/tabular-rows.js
var toBase64 = (row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength).toString('base64');
var fromBase64 = (text) => new Float64Array(new Uint8Array(Buffer.from(text, 'base64')).buffer);
var TabularRows = class _TabularRows {
  options;
  #written;
  #initial = /* @__PURE__ */ new Map();
  constructor(options, written = []) {
    this.options = options;
    this.#written = new Map(written);
  }
  static fromJson(json) {
    const rows = json['rows'];
    return new _TabularRows(
      json['options'],
      rows.map(([context, row]) => [context, fromBase64(row)]),
    );
  }
  toJson() {
    return { options: { ...this.options }, rows: [...this.#written].map(([context, row]) => [context, toBase64(row)]) };
  }
  /** A copy that later writes do not reach. */
  clone() {
    return new _TabularRows(
      this.options,
      [...this.#written].map(([context, row]) => [context, row.slice()]),
    );
  }
  /** The same rows with a value head: values of rows that had none begin at 0. */
  withValueHead() {
    if (this.options.valueHead) return this;
    const reshaped = new _TabularRows({ ...this.options, valueHead: true });
    for (const [context, row] of this.#written) reshaped.row(context).set(row);
    return reshaped;
  }
  /** Contexts that were written. */
  get size() {
    return this.#written.size;
  }
  /** Numbers in a row. */
  get width() {
    return this.options.vocabularySize + (this.options.valueHead ? 1 : 0);
  }
  /** The context of the token at `end`. */
  contextOf(tokens, end2) {
    const { contextLength } = this.options;
    return tokens.slice(contextLength === null ? 0 : Math.max(0, end2 - contextLength), end2).join(' ');
  }
  /** One logit per id; not to be written. */
  logits(context) {
    return this.#read(context).subarray(0, this.options.vocabularySize);
  }
  /** The value of a context; 0 without a value head. */
  value(context) {
    return this.#read(context)[this.options.vocabularySize] ?? 0;
  }
  /** The row of a context, to be written. */
  row(context) {
    let row = this.#written.get(context);
    if (row === void 0) {
      row = this.#read(context).slice();
      this.#written.set(context, row);
    }
    return row;
  }
  #read(context) {
    const known = this.#written.get(context) ?? this.#initial.get(context);
    if (known !== void 0) return known;
    const row = new Float64Array(this.width);
    const { deviation, seed, vocabularySize } = this.options;
    if (deviation > 0) {
      const random = createRandom(seed).stream('logits', context);
      for (let id = 0; id < vocabularySize; id += 1) row[id] = deviation * random.normal();
    }
    this.#initial.set(context, row);
    return row;
  }
};

// dist/testing/tabular-optimizer.js
var defaults = { adamw: { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0 }, sgd: {} };
var TabularOptimizer = class _TabularOptimizer {
  #settings;
  #moments;
  #steps;
  constructor(settings, steps = 0, moments = []) {
    const known = Object.hasOwn(defaults, settings.name) ? defaults[settings.name] : void 0;
    if (known === void 0) throw new Error(`the tabular policy has no optimizer \`${settings.name}\``);
    for (const name of Object.keys(settings.options)) {
      if (!Object.hasOwn(known, name)) throw new Error(`the optimizer \`${settings.name}\` has no option \`${name}\``);
    }
    this.#settings = settings;
    this.#steps = steps;
    this.#moments = new Map(moments);
  }
  static fromJson(json) {
    const moments = json['moments'];
    return new _TabularOptimizer(
      json['settings'],
      json['steps'],
      moments.map(([context, first, second]) => [context, { first: fromBase64(first), second: fromBase64(second) }]),
    );
  }
  toJson() {
    const moments = [...this.#moments].map(([context, { first, second }]) => [
      context,
      toBase64(first),
      toBase64(second),
    ]);
    return { settings: { ...this.#settings }, steps: this.#steps, moments };
  }
  /** One step down `scale` times the gradients. */
  apply(table, gradients, scale, learningRate) {
    this.#steps += 1;
    if (this.#settings.name === 'sgd') {
      for (const [context, gradient] of gradients) {
        const row = table.row(context);
        for (let i = 0; i < row.length; i += 1) row[i] -= learningRate * scale * gradient[i];
      }
      return;
    }
    for (const context of gradients.keys()) {
      if (this.#moments.has(context)) continue;
      this.#moments.set(context, { first: new Float64Array(table.width), second: new Float64Array(table.width) });
    }
    for (const [context, moments] of this.#moments) {
      this.#adamw(table.row(context), moments, gradients.get(context), scale, learningRate);
    }
  }
  #adamw(row, { first, second }, gradient, scale, learningRate) {
    const constants = { ...defaults.adamw, ...this.#settings.options };
    const { beta1, beta2, epsilon, weightDecay } = constants;
    const correction1 = 1 - beta1 ** this.#steps;
    const correction2 = 1 - beta2 ** this.#steps;
    for (let i = 0; i < row.length; i += 1) {
      const g = scale * (gradient?.[i] ?? 0);
      const m = beta1 * first[i] + (1 - beta1) * g;
      const v = beta2 * second[i] + (1 - beta2) * g * g;
      first[i] = m;
      second[i] = v;
      const decayed = row[i] * (1 - learningRate * weightDecay);
      row[i] = decayed - (learningRate * (m / correction1)) / (Math.sqrt(v / correction2) + epsilon);
    }
  }
};

// dist/testing/tabular-policy.js
var file = 'tabular-policy.json';
var TabularPolicy = class _TabularPolicy {
  #maxTokens;
  #encoder;
  #table;
  #optimizer = new TabularOptimizer({ name: 'adamw', options: {} });
  #gradients = /* @__PURE__ */ new Map();
  #version = 0;
  #operations = 0;
  constructor(options) {
    this.#maxTokens = options.maxTokens ?? 1e5;
    this.#encoder = options.encoder ?? TabularEncoder.fromTexts(options.level ?? 'word', options.texts ?? []);
    this.#table = new TabularRows({
      vocabularySize: this.#encoder.vocabularySize,
      valueHead: options.valueHead ?? false,
      contextLength: options.contextLength ?? null,
      deviation: options.deviation ?? 0,
      seed: options.seed ?? 0,
    });
  }
  /** As a plugin's module would: the vocabulary comes of the corpus, or everything of a folder that `save` wrote. */
  static async fromContext(options, context) {
    const texts = [...(options.texts ?? [])];
    if (context.from === void 0) for await (const text of context.corpus()) texts.push(text);
    const policy = new _TabularPolicy({ ...options, texts, valueHead: context.valueHead });
    if (context.from !== void 0) await policy.load(context.from);
    return policy;
  }
  get encoder() {
    return this.#encoder;
  }
  get policyVersion() {
    return this.#version;
  }
  get capabilities() {
    return {
      live: this.#table.options.valueHead ? ['logprob', 'entropy', 'value'] : ['logprob', 'entropy'],
      missingOperations: [],
      freeze: true,
      optimizers: ['adamw', 'sgd'],
      maxTokens: this.#maxTokens,
      sampler: { independent: true, draws: true, exact: true },
    };
  }
  /** Probability of every id after this prefix, at temperature 1. */
  probabilities(prefix) {
    return logSoftmax(this.#table.logits(this.#table.contextOf(prefix, prefix.length)), 1).map(Math.exp);
  }
  /** Makes the policy what a test wants it to be: one logit per id after this prefix. */
  setLogits(prefix, logits) {
    this.#table.row(this.#table.contextOf(prefix, prefix.length)).set(logits);
  }
  /** What `forwardBackward` has added up for the logits after this prefix; zeros where nothing arrived. */
  accumulatedGradient(prefix) {
    const gradient = this.#gradients.get(this.#table.contextOf(prefix, prefix.length));
    return (gradient ?? new Float64Array(this.#table.width)).slice(0, this.#table.options.vocabularySize);
  }
  generate(requests, sampling, signal) {
    return settle(() => {
      signal?.throwIfAborted();
      return requests.map((request) => this.#continue(request, sampling));
    });
  }
  /** Nothing is remembered of a sequence. */
  release(_sequences) {}
  forwardBackward(batch, loss) {
    return settle(() => {
      this.#count(sampledTokens2(batch), 3);
      const { logprob, entropy, value } = forward2(this.#table, batch);
      const live = this.#table.options.valueHead ? { logprob, entropy, value } : { logprob, entropy };
      const { terms, metrics, gradients } = evaluateLoss(batch, live, loss);
      eachSampled(this.#table, batch, (index, context, token) => {
        this.#addGradient(context, token, effectiveTemperature(batch), {
          byLogprob: gradients.logprob[index],
          byEntropy: gradients.entropy[index],
          byValue: gradients.value[index],
          entropy: entropy[index],
        });
      });
      return { logprobs: logprob, entropy, ...(live.value && { values: live.value }), terms, metrics };
    });
  }
  optimizerStep(step) {
    return settle(() => {
      let squares = 0;
      for (const gradient of this.#gradients.values()) for (const number of gradient) squares += number * number;
      const gradientNorm = Math.sqrt(squares);
      const applied = Number.isFinite(gradientNorm);
      if (applied) {
        const scale = step.clipNorm !== void 0 && gradientNorm > step.clipNorm ? step.clipNorm / gradientNorm : 1;
        this.#optimizer.apply(this.#table, this.#gradients, scale, step.learningRate);
        this.#version += 1;
      }
      this.#gradients = /* @__PURE__ */ new Map();
      return { gradientNorm, applied };
    });
  }
  resetOptimizer(settings) {
    return settle(() => {
      this.#optimizer = new TabularOptimizer(settings);
      this.#gradients = /* @__PURE__ */ new Map();
    });
  }
  logprobs(batch) {
    return settle(() => this.#read(this.#table, batch).logprob);
  }
  /** Zeros without a value head; `capabilities` says whether there is one. */
  values(batch) {
    return settle(() => this.#read(this.#table, batch).value);
  }
  freeze() {
    return settle(() => {
      const frozen = this.#table.clone();
      return {
        logprobs: (batch) => settle(() => this.#read(frozen, batch).logprob),
        dispose: () => Promise.resolve(),
      };
    });
  }
  /** A forward pass over a token is a log-softmax of its row, five operations a logit: divided, shifted, exponentiated, added, shifted again. */
  takeOperations() {
    const taken = this.#operations;
    this.#operations = 0;
    return taken;
  }
  async save(directory) {
    const state = {
      formatVersion: 1,
      policyVersion: this.#version,
      encoder: this.#encoder.toJson(),
      table: this.#table.toJson(),
      optimizer: this.#optimizer.toJson(),
    };
    await writeFile(join(directory, file), JSON.stringify(state));
  }
  /** @throws Error where the folder holds no checkpoint of a tabular policy, or only part of one; the policy is then as it was */
  async load(directory) {
    const path = join(directory, file);
    try {
      const state = JSON.parse(await readFile(path, 'utf8'));
      const optimizer = TabularOptimizer.fromJson(state.optimizer);
      const saved = TabularRows.fromJson(state.table);
      const table = this.#table.options.valueHead ? saved.withValueHead() : saved;
      this.#encoder = TabularEncoder.fromJson(state.encoder);
      this.#table = table;
      this.#optimizer = optimizer;
      this.#version = state.policyVersion;
      this.#gradients = /* @__PURE__ */ new Map();
    } catch (error) {
      throw new Error(`${path} is no checkpoint of a tabular policy, or only part of one`, { cause: error });
    }
  }
  describe() {
    const { vocabularySize, contextLength, valueHead } = this.#table.options;
    return { engine: 'tabular', vocabularySize, contexts: this.#table.size, contextLength, valueHead };
  }
  dispose() {
    return Promise.resolve();
  }
  #read(table, batch) {
    this.#count(sampledTokens2(batch), 1);
    return forward2(table, batch);
  }
  #count(tokens, passes) {
    this.#operations += 5 * this.#table.options.vocabularySize * tokens * passes;
  }
  #continue(request, sampling) {
    if (request.tokens.length === 0) throw new RangeError('a request to generate has no tokens to go on from');
    if (request.tokens.length + request.maxTokens > this.#maxTokens) {
      throw new RangeError(`a sequence could grow beyond the ${this.#maxTokens} tokens that the policy can hold`);
    }
    if (request.draws.length < request.maxTokens) throw new RangeError('a request to generate has too few draws');
    const sequence = [...request.tokens];
    const logprobs = [];
    let ended = false;
    while (!ended && logprobs.length < request.maxTokens) {
      const logits = this.#table.logits(this.#table.contextOf(sequence, sequence.length));
      const { token, logprob } = sampleToken(logits, sampling, request.draws[logprobs.length]);
      sequence.push(token);
      logprobs.push(logprob);
      ended = request.endIds.includes(token);
    }
    this.#count(logprobs.length, 1);
    return { tokens: sequence.slice(request.tokens.length), logprobs, ended };
  }
  /** d log p(token) / d logit = (1[id = token] - p) / T, and d entropy / d logit = -p (log p + entropy) / T. */
  #addGradient(context, token, temperature, of) {
    const { vocabularySize, valueHead } = this.#table.options;
    let gradient = this.#gradients.get(context);
    if (gradient === void 0) {
      gradient = new Float64Array(this.#table.width);
      this.#gradients.set(context, gradient);
    }
    const logprobs = logSoftmax(this.#table.logits(context), temperature);
    for (let id = 0; id < vocabularySize; id += 1) {
      const logprob = logprobs[id];
      const probability = Math.exp(logprob);
      const ofLogprob = (id === token ? 1 : 0) - probability;
      const ofEntropy = probability === 0 ? 0 : -probability * (logprob + of.entropy);
      gradient[id] += (of.byLogprob * ofLogprob + of.byEntropy * ofEntropy) / temperature;
    }
    if (valueHead) gradient[vocabularySize] += of.byValue;
  }
};
function settle(compute) {
  return new Promise((resolve) => resolve(compute()));
}
function sampledTokens2({ mask }) {
  return mask.reduce((sum, sampled) => sum + sampled, 0);
}
function effectiveTemperature(batch) {
  return batch.temperature === 0 ? 1 : batch.temperature;
}
function forward2(table, batch) {
  const empty = () => new Float64Array(batch.rows * batch.width);
  const [logprob, entropy, value] = [empty(), empty(), empty()];
  eachSampled(table, batch, (index, context, token) => {
    const logprobs = logSoftmax(table.logits(context), effectiveTemperature(batch));
    logprob[index] = logprobs[token];
    entropy[index] = -logprobs.reduce((sum, x) => sum + (x === -Infinity ? 0 : Math.exp(x) * x), 0);
    value[index] = table.value(context);
  });
  return { logprob, entropy, value };
}
function eachSampled(table, batch, visit) {
  for (let row = 0; row < batch.rows; row += 1) {
    const tokens = batch.tokens.subarray(row * batch.width, (row + 1) * batch.width);
    for (let t = 0; t < batch.width; t += 1) {
      const index = row * batch.width + t;
      if (batch.mask[index] === 1) visit(index, table.contextOf(tokens, t), tokens[t]);
    }
  }
}

// test/compatibility/first-plugin/src/table.ts
function create(_options, _host, context) {
  return TabularPolicy.fromContext({ contextLength: 3, maxTokens: 1e3 }, context);
}
export { create };
