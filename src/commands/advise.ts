import { Args, Flags } from '@oclif/core';

import { BaseCommand, setFlag } from '../cli/base-command.js';

/** `agentgym advise [RECIPE|RUN]` */
export default class Advise extends BaseCommand {
  static override summary = 'Hold a recipe or a run against what has been measured, and say what to change';
  static override description =
    "Rules of the Practitioner's Guide and of our own measurements (docs/advice.md). Each finding comes with what was measured here: training tasks " +
    'are played by the oracle, the random player and the imitated expert, and the log of a run is read. What cannot be measured is listed, not guessed.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> quickstart',
    '<%= config.bin %> <%= command.id %> my-recipe.yaml --set algorithm.groupSize=8 --tasks 100',
    '<%= config.bin %> <%= command.id %> latest --json',
  ];
  static override args = {
    what: Args.string({
      name: 'recipe|run',
      description: "A built-in recipe or a file; or a run: its path, id, or `latest`. Absent: the project's recipe",
    }),
  };
  static override flags = {
    set: setFlag,
    seed: Flags.integer({ default: 1, min: 0, description: 'Of the plays: the same seed gives the same advice' }),
    tasks: Flags.integer({ default: 32, min: 0, description: 'Training tasks to play; 0: play nothing' }),
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder in which ids are looked up' }),
  };

  async run() {
    const { args, flags } = await this.parse(Advise);
    const [{ advise }, { adviceLines }, { styleOf }] = await Promise.all([
      import('../advice/advise.js'),
      import('../advice/advice-lines.js'),
      import('../reporting/terminal-style.js'),
    ]);
    const advice = await advise({
      ...(args.what !== undefined && { what: args.what }),
      sets: flags.set ?? [],
      tasks: flags.tasks,
      seed: flags.seed,
      cwd: process.cwd(),
      runsFolder: flags.runs,
      host: await this.openPluginHost(),
      settings: await this.hostSettings(flags.seed),
    });
    for (const line of adviceLines(advice, styleOf(process.stdout, process.env))) this.say(line);
    return advice;
  }
}
