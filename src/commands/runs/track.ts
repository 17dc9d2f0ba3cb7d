import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../../cli/base-command.js';

/** `agentgym runs track RUN|ABLATION...` */
export default class RunsTrack extends BaseCommand {
  static override interruption = {
    said: 'Interrupted. Interrupt again to stop at once.',
    hint: 'Run the same command again: it sends what the server lacks.',
  };
  static override summary = 'Send runs and ablations to an MLflow server';
  static override description =
    'Sends what the server of MLFLOW_TRACKING_URI lacks: params, tags, metrics, evaluations and files; nothing is sent twice. Use it for runs whose ' +
    'recipe did not name `mlflow` in `tracking`, or that the server did not receive. RUN is a path, an id, a unique beginning of an id, or `latest`; an ' +
    'ABLATION is sent with all its runs.';
  static override examples = [
    'MLFLOW_TRACKING_URI=http://localhost:5000 <%= config.bin %> <%= command.id %> latest',
    '<%= config.bin %> <%= command.id %> runs/ablations/sparsity-quickstart-1f2e3d4c --json',
  ];
  static override strict = false;
  static override args = {
    run: Args.string({ required: true, description: 'Runs and ablations: path, id, beginning of an id, or `latest`' }),
  };
  static override flags = {
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
  };

  async run() {
    const { argv, flags } = await this.parse(RunsTrack);
    const { trackRuns } = await import('../../reports/track-runs.js');
    const { trackingContext } = await import('../../reports/tracking-context.js');
    const { host, tracked } = await trackRuns({
      references: argv as string[],
      runsFolder: flags.runs,
      context: trackingContext(process.env, this.config.version),
      signal: this.signal,
      onSent: ({ directory, points, artifacts, refusals }) => {
        this.say(`${directory}: ${points} points and ${artifacts} files sent`);
        for (const refusal of refusals) this.note(`${refusal}.`);
      },
    });
    return { host, tracked };
  }
}
