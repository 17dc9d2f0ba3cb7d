import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../../cli/base-command.js';

/** `agentgym runs show [RUN]` */
export default class RunsShow extends BaseCommand {
  static override summary = 'Show a run: its status, its recipe and its results';
  static override description = 'RUN is a path, an id, a unique beginning of an id, or `latest`.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> runs/2026-01-31-quickstart-kx4f2a',
    '<%= config.bin %> <%= command.id %> kx4 --json',
  ];
  static override args = {
    run: Args.string({ default: 'latest', description: 'Path, id, beginning of an id, or `latest`' }),
  };
  static override flags = {
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
  };

  async run() {
    const { args, flags } = await this.parse(RunsShow);
    const { resolveRun } = await import('../../runs/resolve-run.js');
    const { readLabel } = await import('../../runs/run-label.js');
    const { loadRun } = await import('../../runs/load-run.js');
    const { runBlocks } = await import('../../reports/describe-run.js');
    const { packagesSince } = await import('../../runs/used-packages.js');
    const run = await loadRun(await resolveRun(args.run, flags.runs));
    const label = await readLabel(run.directory);
    const differences = await packagesSince(run.manifest, await this.pluginPackages());
    await this.tell(runBlocks(run, differences, label));
    const { directory, status, manifest, checkpoint, result, metrics } = run;
    return {
      run: directory,
      status,
      label,
      manifest,
      differences,
      checkpoint: checkpoint ?? null,
      lastStep: metrics.at(-1) ?? null,
      result: result ?? null,
      // The outcome of every task is in evaluations.jsonl.
      evaluations: run.evaluations.map(({ outcomes: _, ...evaluation }) => evaluation),
    };
  }
}
