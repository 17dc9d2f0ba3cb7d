import { Flags } from '@oclif/core';

import { BaseCommand } from '../../cli/base-command.js';
import { manyFlag } from '../../cli/many-flag.js';

/** `agentgym runs list` */
export default class RunsList extends BaseCommand {
  static override summary = 'List runs and ablations, newest first';
  static override description =
    'The settings shown are those in which runs of one recipe differ. A narrow terminal drops the least important columns; `--json` has all.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --recipe quickstart --status completed',
    '<%= config.bin %> <%= command.id %> --ablation sparsity-quickstart',
    '<%= config.bin %> <%= command.id %> --runs /data/runs --json',
  ];
  static override flags = {
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
    recipe: Flags.string({ helpValue: 'NAME', description: 'Only runs of this recipe' }),
    algorithm: Flags.string({ helpValue: 'NAME', description: 'Only runs of this algorithm' }),
    status: Flags.option({
      options: ['running', 'completed', 'interrupted', 'stopped', 'failed'] as const,
      description: 'Only runs with this status',
    })(),
    tag: manyFlag('TAG', 'Only runs with this tag; several tags must all be present'),
    ablation: Flags.string({
      helpValue: 'ABLATION',
      description: 'Only runs of this ablation: its folder, or a unique beginning of its name',
    }),
  };

  async run() {
    const { flags } = await this.parse(RunsList);
    const { recipe, algorithm, status, tag: tags } = flags;
    const { summarizeRuns, summarizeFolders } = await import('../../runs/summarize-runs.js');
    const { listAblations, ablationRuns } = await import('../../ablation/list-ablations.js');
    const { resolveSubject } = await import('../../runs/resolve-run.js');
    const { runListBlocks } = await import('../../reports/run-list-blocks.js');
    const filter = { recipe, algorithm, status, tags };
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const ablation = flags.ablation && (await resolveSubject(flags.ablation, flags.runs));
    const { runs, damaged: damagedRuns } = ablation
      ? await summarizeFolders(await ablationRuns(ablation), filter)
      : await summarizeRuns(flags.runs, filter);
    const { ablations, damaged: damagedAblations } =
      ablation || isFiltered ? { ablations: [], damaged: [] } : await listAblations(flags.runs);
    const damaged = [...damagedRuns, ...damagedAblations];
    if (runs.length + ablations.length === 0) {
      const which = isFiltered ? 'No such runs' : 'No runs';
      this.say(`${which} in ${ablation || flags.runs}. Start one with \`${this.config.bin} train quickstart\`.`);
    }
    await this.tell(runListBlocks(runs, ablations));
    for (const { directory, reason } of damaged) {
      this.note(`${directory} is damaged: ${reason.replace(`${directory} is not a run: `, '')}.`);
    }
    return { runs, ablations, damaged };
  }
}
