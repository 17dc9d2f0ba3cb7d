import { Args, Flags } from '@oclif/core';

import { BaseCommand, yesFlag } from '../cli/base-command.js';
import { manyFlag } from '../cli/many-flag.js';

/** `agentgym score RUN --reward FILE` */
export default class Score extends BaseCommand {
  static override summary = 'Score the recorded episodes of a run with another reward';
  static override description =
    'Reads the recorded episodes, gives them the numbers of another reward, and compares the returns. The run does not change. FILE has the key ' +
    '`reward` of a recipe. Judges are asked, except for what they have said of the same episodes before. RUN is a path, an id, a unique beginning of an ' +
    'id, or `latest`.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> latest --reward dense.yaml',
    '<%= config.bin %> <%= command.id %> kx4 --reward judged.yaml --log evaluation.final --json',
  ];
  static override args = {
    run: Args.string({ default: 'latest', description: 'Path, id, beginning of an id, or `latest`' }),
  };
  static override flags = {
    reward: Flags.string({ required: true, helpValue: 'FILE', description: 'File with the key `reward` of a recipe' }),
    log: manyFlag(
      'NAME',
      'A log of the run: a stage that trains by RL, evaluation.start or evaluation.final; default: all',
    ),
    seed: Flags.integer({ default: 1, min: 0, description: 'Seed of the questions to judges' }),
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
    yes: yesFlag,
  };

  async run() {
    const { args, flags } = await this.parse(Score);
    const { resolveRun } = await import('../runs/resolve-run.js');
    const { scoreRun } = await import('../reports/score/score-run.js');
    const { scoreBlocks } = await import('../reports/score/score-blocks.js');
    const scored = await scoreRun({
      run: await resolveRun(args.run, flags.runs),
      reward: flags.reward,
      ...(flags.log && { logs: flags.log }),
      cwd: process.cwd(),
      host: await this.openPluginHostFor(flags.yes),
      settings: await this.hostSettings(flags.seed),
    });
    await this.tell(scoreBlocks(scored));
    return scored;
  }
}
