interface ErrorCodeEntry {
  /** 2: the user's to mend; 70: ours; 130: interrupted and resumable. */
  readonly exitCode: 2 | 70 | 130;
  /** What it means, for the documentation. */
  readonly meaning: string;
  /** What it usually comes of, for the documentation. */
  readonly cause: string;
  /** What helps, where the place of the error knows nothing better. */
  readonly cure: string;
}

/** The one table of error codes; `docs/reference/errors.md` is written from it. Keep it sorted. */
export const errorCodes = {
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
  AG_FILE_FAILED: {
    exitCode: 2,
    meaning: 'The operating system refused to read, write or make a file or folder.',
    cause: 'A missing right, a full disk, a file where a folder belongs, or one that was removed meanwhile.',
    cure: 'Mend what the message names, then run the same command again.',
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
  AG_MEMORY: {
    exitCode: 2,
    meaning: 'A recipe needs more memory than this machine has, or than Node.js may use of it.',
    cause: 'Very many episodes at once, or a model that is too large.',
    cure: 'Lower what the message names, or train on a larger machine.',
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
  AG_PLUGIN_EXITS: {
    exitCode: 2,
    meaning:
      'An environment called `process.exit` on the main thread, which would have ended the command and all that it plays.',
    cause: 'A program that was made an environment and ends its process when something goes wrong.',
    cure: 'Throw an error in its place, or play it in a thread of its own with `--set environment.thread=worker`, where only its episode fails; `agentgym train --resume RUN` goes on.',
  },
  AG_PLUGIN_FAILED: {
    exitCode: 2,
    meaning: 'A plugin threw an error while it was loaded, created or asked something.',
    cause: 'An option that the plugin cannot work with, a missing file, or a defect of the plugin.',
    cure: 'Look at it with `agentgym doctor`; if its set-up is right, report the message to the author of the plugin.',
  },
  AG_PLUGIN_HANGS: {
    exitCode: 2,
    meaning:
      'A call of an environment held the main thread for longer than its time, and nothing but the end of the process could end it.',
    cause: 'A loop without end, a synchronous wait, or work that takes longer than `environment.seconds` allows.',
    cure: 'Play it in a thread of its own with `--set environment.thread=worker`, where only its episode fails; `agentgym train --resume RUN` goes on.',
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
    meaning: 'Two splits share a task, or a cluster of tasks that stand or fall together.',
    cause:
      'Splits drawn at random for each instance, ids that two splits spell alike, or tasks dealt one by one though they are one puzzle.',
    cure: "Report it to the author of the environment's plugin: its splits must be disjoint in tasks and clusters, or say `sharesClusters`.",
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
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof errorCodes;
