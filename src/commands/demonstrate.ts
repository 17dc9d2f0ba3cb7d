import { Args, Flags } from '@oclif/core';

import { BaseCommand, writesAtEnd, yesFlag } from '../cli/base-command.js';
import { playingFlags } from '../cli/playing-flags.js';

/** `agentgym demonstrate ENVIRONMENT` */
export default class Demonstrate extends BaseCommand {
  static override summary = 'Let an expert, a run or a text model play tasks, and write its episodes as demonstrations';
  static override description =
    'The file is for `demonstrations: {file: FILE}` in a recipe. Without `--split`, training tasks are played; without `--tasks`, 1000 of them, ' +
    'or all if there are fewer. A run with `--filter success` and a temperature above 0 is rejection sampling.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> guess-number --policy demonstrator --output games.jsonl',
    '<%= config.bin %> <%= command.id %> textcraft --policy oracle --tasks 200 --filter success --output games.jsonl',
    '<%= config.bin %> <%= command.id %> guess-number --policy latest --temperature 1 --episodes-per-task 8 --filter success --output won.jsonl',
  ];
  static override interruption = writesAtEnd;
  static override args = {
    environment: Args.string({
      required: true,
      description: 'Name of the environment; `agentgym list environments` shows the names',
    }),
  };
  static override flags = {
    policy: Flags.string({
      required: true,
      helpValue: 'WHO',
      description: 'Player: an expert, random, a run, a folder with a model, or a text model as NAME:ADDRESS',
    }),
    output: Flags.string({ required: true, char: 'o', helpValue: 'FILE', description: 'JSONL file to write' }),
    filter: Flags.option({ options: ['success'] as const, description: 'Keep only episodes that solved their task' })(),
    yes: yesFlag,
    ...playingFlags,
  };

  async run() {
    const { args, flags } = await this.parse(Demonstrate);
    const { demonstrate } = await import('../experiments/demonstrate.js');
    const { playingRequest } = await import('../cli/parse-playing-flags.js');
    const { showEpisodes } = await import('../reporting/show-episodes.js');
    const { writtenLines } = await import('../reporting/demonstration-lines.js');
    const { usualDemonstrations } = await import('../config/run-plan.js');
    const host = await this.openPluginHostFor(flags.yes);
    const settings = await this.hostSettings(flags.seed);
    const result = await showEpisodes(this.display(), (progress) =>
      demonstrate({
        ...playingRequest(flags, { host, settings }),
        progress,
        environment: args.environment,
        policy: flags.policy,
        output: flags.output,
        ...(flags.filter && { filter: flags.filter }),
        split: flags.split ?? 'train',
        tasks: flags.tasks ?? usualDemonstrations,
        seed: flags.seed,
      }),
    );
    for (const line of writtenLines(result)) this.say(line);
    return result;
  }
}
