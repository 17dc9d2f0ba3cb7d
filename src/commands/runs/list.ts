import { Args } from '@oclif/core';

import { BaseCommand } from '../../cli/base-command.js';

/** `agentgym runs list [FOLDER]` */
export default class RunsList extends BaseCommand {
  static override summary = 'List runs, the newest first';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> /data/runs --json',
  ];
  static override args = {
    folder: Args.string({ default: 'runs', description: 'Folder that holds the runs' }),
  };

  async run() {
    const { args } = await this.parse(RunsList);
    const [{ summarizeRuns }, { alignColumns }, { formatShare }] = await Promise.all([
      import('../../runs/summarize-runs.js'),
      import('../../reporting/align-columns.js'),
      import('../../reporting/format-quantity.js'),
    ]);
    const runs = await summarizeRuns(args.folder);
    if (runs.length === 0)
      this.say(`No runs in ${args.folder}. Start one with \`${this.config.bin} train quickstart\`.`);
    const rows = runs.map(({ id, recipe, status, createdAt, step, success }) => [
      id,
      recipe,
      status,
      createdAt.slice(0, 16).replace('T', ' '),
      step === null ? 'no step yet' : `step ${step}`,
      success === null ? '' : formatShare(success),
    ]);
    for (const line of alignColumns(rows)) this.say(line);
    return { runs };
  }
}
