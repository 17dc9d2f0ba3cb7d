import { Args, Flags } from '@oclif/core';

import { BaseCommand, yesFlag } from '../../cli/base-command.js';
import { manyFlag } from '../../cli/many-flag.js';

/** `agentgym runs episodes [RUN]` */
export default class RunsEpisodes extends BaseCommand {
  static override summary = 'Write the recorded episodes of a run for other programs';
  static override description =
    'Writes JSONL, one episode a line. `--as chat` has the messages that trainers of supervised fine-tuning read, `--as atif` the Agent Trajectory ' +
    'Interchange Format with token ids and log probabilities. RUN is a path, an id, a unique beginning of an id, or `latest`.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> latest --as chat --filter success --to won.jsonl',
    '<%= config.bin %> <%= command.id %> kx4 --as atif --log evaluation.final --to final.jsonl',
  ];
  static override args = {
    run: Args.string({ default: 'latest', description: 'Path, id, beginning of an id, or `latest`' }),
  };
  static override flags = {
    as: Flags.option({ options: ['chat', 'atif'] as const, required: true, description: 'Format of an episode' })(),
    to: Flags.string({ required: true, helpValue: 'FILE', description: 'JSONL file to write' }),
    log: manyFlag(
      'NAME',
      'A log of the run: a stage that trains by RL, evaluation.start or evaluation.final; default: all',
    ),
    filter: Flags.option({ options: ['success'] as const, description: 'Keep only episodes that solved their task' })(),
    force: Flags.boolean({ default: false, description: 'Overwrite an existing file' }),
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
    yes: yesFlag,
  };

  async run() {
    const { args, flags } = await this.parse(RunsEpisodes);
    const { resolveRun } = await import('../../runs/resolve-run.js');
    const { exportEpisodes } = await import('../../reports/episodes/export-episodes.js');
    const written = await exportEpisodes({
      run: await resolveRun(args.run, flags.runs),
      format: flags.as,
      ...(flags.log && { logs: flags.log }),
      ...(flags.filter && { filter: flags.filter }),
      output: flags.to,
      force: flags.force,
      version: this.config.version,
      host: await this.openPluginHostFor(flags.yes),
      settings: await this.hostSettings(0),
    });
    this.say(`${written.episodes} episodes in ${written.file}; ${written.leftOut} left out`);
    return written;
  }
}
