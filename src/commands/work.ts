import { Args } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';

/** `agentgym work FOLDER`: what a job on a cluster runs. Users do not type it. */
export default class Work extends BaseCommand {
  static override hidden = true;
  static override summary = 'Train the run of a job on a cluster, and report its progress on standard output';
  static override args = { folder: Args.string({ required: true, description: 'The folder of the job' }) };

  async run() {
    const { args } = await this.parse(Work);
    const { takeJobKey } = await import('../runners/job-key.js');
    const { workOnJob } = await import('../runners/work-on-job.js');
    const { planTraining } = await import('../experiments/start-training.js');
    // Before code of plugins runs.
    const key = takeJobKey(process.env);
    const host = await this.openPluginHost();
    const settings = await this.hostSettings(0);
    await workOnJob({
      folder: args.folder,
      ...(key !== undefined && { key }),
      version: this.config.version,
      write: (text) => process.stdout.write(text),
      train: (request, listener) =>
        planTraining({ ...request, host, settings, version: this.config.version }).then((planned) =>
          planned.run(listener),
        ),
    });
  }
}
