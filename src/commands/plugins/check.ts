import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../../cli/base-command.js';
import { interruptSignal } from '../../cli/interrupt-signal.js';

/** `agentgym plugins check [DIR|NAME]`: ends with 1 where a check does not hold. */
export default class PluginsCheck extends BaseCommand {
  static override summary = 'Check a plugin: its package, its entry, and everything it contributes';
  static override description =
    'Says what is wrong, why it matters, and how to mend it (docs/conformance.md). The plugin runs in a process of its own, with its default options and with ' +
    'others that its declarations allow. Ends with exit code 1 where a check does not hold.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> ./my-plugin --thorough',
    '<%= config.bin %> <%= command.id %> env-textcraft --only splits-disjoint --json',
  ];
  static override args = {
    plugin: Args.string({
      name: 'dir|name',
      default: '.',
      description: 'The folder of a plugin, or the name of one that is installed, or of something that it contributes',
    }),
  };
  static override flags = {
    only: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'CHECK',
      description: 'Run this check alone',
    }),
    skip: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'CHECK',
      description: 'Leave this check out',
    }),
    seed: Flags.integer({ default: 0, min: 0, description: 'Of everything that is drawn at random' }),
    thorough: Flags.boolean({ description: 'Try every option at every choice, minimum and maximum, of policies too' }),
    deadline: Flags.integer({
      default: 120,
      min: 1,
      helpValue: 'SECONDS',
      description: 'How long the plugin may give no sign before its process is killed',
    }),
  };

  async run() {
    const { args, flags } = await this.parse(PluginsCheck);
    const signal = interruptSignal('Interrupted.');
    const [{ checkPlugin }, { locatePlugin }, { pluginReportLines }, { styleOf }, { pluginSourcesOf }] =
      await Promise.all([
        import('../../plugin-check/check-plugin.js'),
        import('../../plugin-check/locate-plugin.js'),
        import('../../plugin-check/plugin-report-lines.js'),
        import('../../reporting/terminal-style.js'),
        import('../../plugins/plugin-source.js'),
      ]);
    const report = await checkPlugin({
      root: await locatePlugin(args.plugin, process.cwd(), pluginSourcesOf(this.config), () => this.openPluginHost()),
      hostVersion: this.config.version,
      seed: flags.seed,
      thorough: flags.thorough,
      seconds: flags.deadline,
      only: flags.only ?? [],
      skip: flags.skip ?? [],
      signal,
      // Only somebody who waits reads how far it is.
      progress: (line) => {
        if (process.stderr.isTTY) this.note(line);
      },
    });
    for (const line of pluginReportLines(report, styleOf(process.stdout, process.env))) this.say(line);
    if (!report.passed) process.exitCode = 1;
    return report;
  }
}
