import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../../cli/base-command.js';
import { labelFlags } from '../../cli/label-flags.js';
import { manyFlag } from '../../cli/many-flag.js';

/** `agentgym runs label RUN` */
export default class RunsLabel extends BaseCommand {
  static override summary = 'Give a run a name, tags or a note';
  static override description =
    'Other labels do not change. Lists and pages show the labels, and commands accept the name as RUN.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> latest --name "wider clip" --tag clip --note "twice the learning rate by mistake"',
    '<%= config.bin %> <%= command.id %> kx4 --untag clip',
  ];
  static override args = {
    run: Args.string({ default: 'latest', description: 'Path, id, name, beginning of an id, or `latest`' }),
  };
  static override flags = {
    ...labelFlags,
    untag: manyFlag('TAG', 'Remove a tag'),
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
  };

  async run() {
    const { args, flags } = await this.parse(RunsLabel);
    const { resolveRun } = await import('../../runs/resolve-run.js');
    const { checkLabel, readLabel, writeLabel } = await import('../../runs/run-label.js');
    const run = await resolveRun(args.run, flags.runs);
    const before = await readLabel(run);
    const label = checkLabel({
      ...before,
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags.note !== undefined && { note: flags.note }),
      tags: [...before.tags, ...(flags.tag ?? [])].filter((tag) => flags.untag?.includes(tag) !== true),
    });
    await writeLabel(run, label);
    this.say(`${run}: ${label.name ?? 'no name'}${label.tags.length === 0 ? '' : `; ${label.tags.join(', ')}`}`);
    return { run, ...label };
  }
}
