import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../../cli/base-command.js';
import { interruptSignal } from '../../cli/interrupt-signal.js';
import { manyFlag } from '../../cli/many-flag.js';

/** `agentgym plugins check [DIR|NAME]`: ends with 1 if a check fails. */
export default class PluginsCheck extends BaseCommand {
  static override summary = 'Check a plugin: its package, its entry, and all its contributions';
  static override description =
    'It says what is promised, what is wrong, and how to repair it (docs/conformance.md). The plugin runs in a separate process, with its default ' +
    'options and with others that its declarations allow. The exit code is 1 if a check fails.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> ./my-plugin --thorough',
    '<%= config.bin %> <%= command.id %> env-textcraft --only splits-disjoint --json',
  ];
  static override args = {
    plugin: Args.string({
      name: 'dir|name',
      default: '.',
      description: 'Folder of a plugin, name of an installed plugin, or name of a contribution',
    }),
  };
  static override flags = {
    only: manyFlag('CHECK', 'Run only this check'),
    skip: manyFlag('CHECK', 'Skip this check'),
    seed: Flags.integer({ default: 0, min: 0, description: 'Seed of all random draws' }),
    thorough: Flags.boolean({
      description: 'Try every choice, minimum and maximum of every option, also for policies',
    }),
    deadline: Flags.integer({
      default: 120,
      min: 1,
      helpValue: 'SECONDS',
      description: 'Seconds of silence before the process of the plugin is killed',
    }),
  };

  async run() {
    const { args, flags } = await this.parse(PluginsCheck);
    const signal = interruptSignal('Interrupted.');
    const { checkPlugin } = await import('../../plugin-check/check-plugin.js');
    const { locatePlugin } = await import('../../plugin-check/locate-plugin.js');
    const { pluginReportLines } = await import('../../plugin-check/plugin-report-lines.js');
    const { styleOf } = await import('../../reporting/terminal-style.js');
    const { pluginSourcesOf } = await import('../../plugins/plugin-source.js');
    const report = await checkPlugin({
      root: await locatePlugin(args.plugin, process.cwd(), pluginSourcesOf(this.config), () => this.openPluginHost()),
      hostVersion: this.config.version,
      seed: flags.seed,
      thorough: flags.thorough,
      seconds: flags.deadline,
      only: flags.only ?? [],
      skip: flags.skip ?? [],
      signal,
      // Progress is only useful on a terminal.
      progress: (line) => {
        if (process.stderr.isTTY) this.note(line);
      },
    });
    for (const line of pluginReportLines(report, styleOf(process.stdout, process.env))) this.say(line);
    if (!report.passed) process.exitCode = 1;
    return report;
  }
}
