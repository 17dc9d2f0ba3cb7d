import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';
import { exportFlags, refuseIdleFlags } from '../cli/export-flags.js';

/** `agentgym report [RUN|ABLATION...]` */
export default class Report extends BaseCommand {
  static override summary = 'Write the results of runs or an ablation as one HTML file, as tables, or as a figure';
  static override description =
    'It has curves, results with intervals, costs, and the recorded episodes with their tokens. Several runs appear side by side; seeds of one ' +
    'recipe are one curve with a band. RUN is a path, an id, a unique beginning of an id, or `latest`. For an ablation, give its folder or the ' +
    'beginning of its name. Other formats: csv and parquet write a folder of tables, markdown the tables for a paper, svg one figure.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> kx4 --output report.html',
    '<%= config.bin %> <%= command.id %> sparsity-quickstart',
    '<%= config.bin %> <%= command.id %> runs/seed-1 runs/seed-2 runs/seed-3 --output seeds.html',
    '<%= config.bin %> <%= command.id %> latest --format parquet --output tables',
    '<%= config.bin %> <%= command.id %> runs/ablations/sparsity-quickstart-1f2e3d4c --format markdown --output sparsity.md',
    '<%= config.bin %> <%= command.id %> sparsity-quickstart --format svg --by turns --output sparsity.svg',
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
      helpValue: 'PATH',
      description:
        "File to write, or folder for csv and parquet; default: report.html or tables in the first run's folder, standard output for markdown and svg",
    }),
    ...exportFlags,
    episodes: Flags.integer({ min: 0, description: 'Maximum number of episodes on the page (html); default: 2000' }),
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
  };

  async run() {
    const { args, argv, flags } = await this.parse(Report);
    const references = argv.length > 0 ? (argv as string[]) : [args.run];
    const { format, output, force, episodes, by, metric = 'success' } = flags;
    const given = { version: this.config.version, ...(output !== undefined && { output }) };
    refuseIdleFlags(flags);
    if (format !== 'html') {
      const { exportReport } = await import('../reports/exports/export-report.js');
      const figure = { metric, ...(by !== undefined && { by }) };
      const exported = await exportReport({ references, runsFolder: flags.runs, format, figure, force, ...given });
      for (const note of exported.notes) this.note(note);
      for (const line of exported.lines) this.say(line);
      return exported.document;
    }
    const { resolveSubject } = await import('../runs/resolve-run.js');
    const { writeReport } = await import('../reports/write-report.js');
    const { remarkOnRun } = await import('../advice/remark-on-run.js');
    const runs = await Promise.all(references.map((reference) => resolveSubject(reference, flags.runs)));
    const remark = async (run: string) => {
      const place = { cwd: process.cwd(), host: await this.openPluginHost(), settings: await this.hostSettings(1) };
      return remarkOnRun(run, place);
    };
    const report = await writeReport({ runs, episodes: episodes ?? 2000, remark, ...given });
    for (const note of report.notes) this.note(note);
    this.say(report.answer);
    this.say(`Report: ${report.report}`);
    return report;
  }
}
