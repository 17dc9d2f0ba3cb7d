import { Args, Flags } from '@oclif/core';

import { BaseCommand, writesAtEnd, yesFlag } from '../cli/base-command.js';
import { checkpointFlag } from '../cli/checkpoint-flags.js';
import { playingFlags } from '../cli/playing-flags.js';

/** `agentgym evaluate [POLICY]` */
export default class Evaluate extends BaseCommand {
  static override summary = 'Measure how often a policy succeeds, with an interval and baselines on the same tasks';
  static override description =
    'POLICY is a run (path, id, or latest), a Hugging Face folder, random, an expert such as oracle, or a text model as NAME:ADDRESS. A run brings ' +
    'its own environment, action format and horizon. It plays the tasks of its final evaluation unless `--split` or `--tasks` is given. Other players play 500 test tasks.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> latest',
    '<%= config.bin %> <%= command.id %> latest --temperature 1 --episodes-per-task 4',
    '<%= config.bin %> <%= command.id %> latest --checkpoint best',
    '<%= config.bin %> <%= command.id %> random --environment textcraft --split validation --tasks 200 --json',
    '<%= config.bin %> <%= command.id %> openai:http://localhost:8000/v1 --environment textcraft --format react',
  ];
  static override interruption = writesAtEnd;
  static override args = {
    policy: Args.string({
      default: 'latest',
      description: 'Player: a run, a folder with a model, random, an expert, or a text model as NAME:ADDRESS',
    }),
  };
  static override flags = {
    environment: Flags.string({ helpValue: 'NAME', description: "Environment; default: the run's own" }),
    yes: yesFlag,
    ...checkpointFlag,
    ...playingFlags,
  };

  async run() {
    const { args, flags } = await this.parse(Evaluate);
    const { evaluatePolicy } = await import('../experiments/evaluate-policy.js');
    const { playingRequest } = await import('../cli/parse-playing-flags.js');
    const { evaluationBlocks } = await import('../reports/result-blocks.js');
    const { showEpisodes } = await import('../reporting/show-episodes.js');
    const host = await this.openPluginHostFor(flags.yes);
    const settings = await this.hostSettings(flags.seed);
    const result = await showEpisodes(this.display(), (progress) =>
      evaluatePolicy({
        ...playingRequest(flags, { host, settings }),
        progress,
        policy: args.policy,
        ...(flags.checkpoint !== undefined && { checkpoint: flags.checkpoint }),
        ...(flags.environment !== undefined && { environment: flags.environment }),
        ...(flags.split !== undefined && { split: flags.split }),
        ...(flags.tasks !== undefined && { tasks: flags.tasks }),
      }),
    );
    await this.tell(evaluationBlocks(result, args.policy));
    return result;
  }
}
