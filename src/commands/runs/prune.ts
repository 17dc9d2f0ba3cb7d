import { Args, Flags } from '@oclif/core';

import { ageFlag } from '../../cli/age-flag.js';
import { BaseCommand } from '../../cli/base-command.js';

/** `agentgym runs prune [RUN...]` */
export default class RunsPrune extends BaseCommand {
  static override summary =
    'Make room: remove old checkpoints of runs, or whole runs; without --yes only say what would go';
  static override description =
    'Of each run the newest complete checkpoint stays, and all logs do; runs of ablations are among them. With `--failed` or `--older-than` whole ' +
    'runs go, those that fit all that is said, but for runs of ablations. Runs that are at work, links, and what is outside of the folder are ' +
    'never touched.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> kx4 --keep 2 --yes',
    '<%= config.bin %> <%= command.id %> --failed --older-than 30d --yes',
  ];
  static override strict = false;
  static override args = {
    run: Args.string({ description: 'Path, id, beginning of an id, or `latest`; absent: all runs of the folder' }),
  };
  static override flags = {
    keep: Flags.integer({
      min: 1,
      description: 'Complete checkpoints that stay; absent: 1',
      exclusive: ['failed', 'older-than'],
    }),
    failed: Flags.boolean({ default: false, description: 'Remove whole runs that failed' }),
    'older-than': ageFlag({ description: 'Remove whole runs in which nothing was written for so long' }),
    yes: Flags.boolean({ default: false, description: 'Remove it' }),
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder that holds the runs' }),
  };

  async run() {
    const { argv, flags } = await this.parse(RunsPrune);
    const [{ pruneRuns }, { pruneLines }] = await Promise.all([
      import('../../runs/prune-runs.js'),
      import('../../reports/prune-lines.js'),
    ]);
    const { failed, yes, runs: runsFolder, keep = 1, 'older-than': olderThanSeconds } = flags;
    const whole = failed || olderThanSeconds !== undefined;
    const result = await pruneRuns({
      references: argv as string[],
      runsFolder,
      what: whole
        ? { kind: 'runs', failed, ...(olderThanSeconds !== undefined && { olderThanSeconds }) }
        : { kind: 'checkpoints', keep },
      yes,
    });
    for (const note of result.notes) this.note(note);
    for (const line of pruneLines(result)) this.say(line);
    return result;
  }
}
