import { Args, Flags } from '@oclif/core';

import { BaseCommand, setFlag } from '../cli/base-command.js';

/** `agentgym advise [RECIPE|RUN]` */
export default class Advise extends BaseCommand {
  static override summary = 'Compare a recipe or a run with measured results, and suggest changes';
  static override description =
    "It applies rules of the Practitioner's Guide and of our own measurements (docs/advice.md). For a recipe, the oracle, the random player and the " +
    'imitated expert play training tasks; for a run, it reads the log. Each finding shows the measured numbers. If something cannot be measured, it ' +
    'says so and does not guess.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> quickstart',
    '<%= config.bin %> <%= command.id %> my-recipe.yaml --set algorithm.groupSize=8 --tasks 100',
    '<%= config.bin %> <%= command.id %> latest --json',
  ];
  static override args = {
    what: Args.string({
      name: 'recipe|run',
      description: "A built-in recipe, a file, or a run (path, id or `latest`); default: the project's recipe",
    }),
  };
  static override flags = {
    set: setFlag,
    seed: Flags.integer({
      default: 1,
      min: 0,
      description: 'Seed of the played games; the same seed gives the same advice',
    }),
    tasks: Flags.integer({ default: 32, min: 0, description: 'Number of training tasks to play; 0 plays nothing' }),
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
  };

  async run() {
    const { args, flags } = await this.parse(Advise);
    const { advise } = await import('../advice/advise.js');
    const { wholeAdviceBlocks } = await import('../advice/advice-blocks.js');
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
    await this.tell(wholeAdviceBlocks(advice));
    return advice;
  }
}
