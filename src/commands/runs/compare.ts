import { Args, Flags } from '@oclif/core';

import { ablationFlags } from '../../cli/ablation-flags.js';
import { BaseCommand } from '../../cli/base-command.js';

/** `agentgym runs compare RUN RUN...` */
export default class RunsCompare extends BaseCommand {
  static override summary = 'Compare runs: differences in their recipes and in their results';
  static override description =
    'It compares the final evaluations over the tasks that both runs of a pair played, with 95 % intervals for other tasks, and p corrected for the ' +
    'number of pairs. RUN is a path, an id, a unique beginning of an id, or `latest`.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> kx4 mf2',
    '<%= config.bin %> <%= command.id %> runs/first runs/second runs/third --metric turns --json',
  ];
  static override strict = false;
  static override args = {
    run: Args.string({ required: true, description: 'Path, id, beginning of an id, or `latest`; two or more' }),
  };
  static override flags = {
    metric: ablationFlags.metric,
    temperature: ablationFlags.temperature,
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
  };

  async run() {
    const { argv, flags } = await this.parse(RunsCompare);
    const { resolveRun } = await import('../../runs/resolve-run.js');
    const { compareRuns } = await import('../../reports/compare-runs.js');
    const { comparisonBlocks } = await import('../../reports/comparison-blocks.js');
    const directories = await Promise.all((argv as string[]).map((run) => resolveRun(run, flags.runs)));
    const { metric: measure, temperature } = flags;
    const comparison = await compareRuns(directories, { measure, temperature });
    for (const note of comparison.notes) this.note(note);
    await this.tell(comparisonBlocks(comparison));
    return comparison;
  }
}
