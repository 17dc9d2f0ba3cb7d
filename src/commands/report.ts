import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';

/** `agentgym report [RUN|ABLATION...]` */
export default class Report extends BaseCommand {
  static override summary = 'Write what came out of a run or an ablation as one HTML file that opens from disk';
  static override description =
    'Curves, results with intervals, what was spent, and the recorded episodes with their tokens. Several runs stand side by side: ' +
    'seeds of one recipe as one curve with its band. RUN is a path, an id, a unique beginning of an id, or `latest`; an ablation is named by ' +
    'its folder or the beginning of its name.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> kx4 --output report.html',
    '<%= config.bin %> <%= command.id %> sparsity-quickstart',
    '<%= config.bin %> <%= command.id %> runs/seed-1 runs/seed-2 runs/seed-3 --output seeds.html',
  ];
  static override strict = false;
  static override args = {
    run: Args.string({
      default: 'latest',
      description: 'Path, id, beginning of an id, or `latest`; several are compared',
    }),
  };
  static override flags = {
    output: Flags.string({
      helpValue: 'FILE',
      description: 'File to write; absent: report.html in the first folder',
    }),
    episodes: Flags.integer({ default: 2000, min: 0, description: 'Most episodes that the page carries' }),
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder in which ids are looked up' }),
  };

  async run() {
    const { args, argv, flags } = await this.parse(Report);
    const [{ resolveSubject }, { writeReport }] = await Promise.all([
      import('../experiments/resolve-run.js'),
      import('../experiments/write-report.js'),
    ]);
    const references = argv.length > 0 ? (argv as string[]) : [args.run];
    const runs = await Promise.all(references.map((reference) => resolveSubject(reference, flags.runs)));
    const report = await writeReport({
      runs,
      episodes: flags.episodes,
      version: this.config.version,
      ...(flags.output !== undefined && { output: flags.output }),
    });
    for (const note of report.notes) this.note(note);
    this.say(report.answer);
    this.say(`Report: ${report.report}`);
    return report;
  }
}
