import { Args, Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';

const TEMPLATES = 'project, environment, reward, algorithm, policy, format, recipe';

/** `agentgym init [DIR]` */
export default class Init extends BaseCommand {
  static override summary = 'Create a project, a plugin or a recipe';
  static override description =
    `Templates: ${TEMPLATES}. The new package installs, builds, lints, tests and trains without changes. On a terminal the command asks for missing ` +
    'values.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --template environment --name env-mine',
    '<%= config.bin %> <%= command.id %> experiments --template project --git --yes',
  ];
  static override args = {
    directory: Args.string({
      description: 'Folder to write to; default: a folder named like --name, or the current folder',
    }),
  };
  static override flags = {
    template: Flags.string({ helpValue: 'NAME', description: `One of ${TEMPLATES}; by default project` }),
    name: Flags.string({
      helpValue: 'NAME',
      description: 'Name of the package, such as env-mine for an environment `mine`',
    }),
    yes: Flags.boolean({ char: 'y', description: 'Ask nothing and use the defaults' }),
    force: Flags.boolean({ description: 'Overwrite existing files of the template' }),
    git: Flags.boolean({ description: 'Create a git repository and commit the files' }),
  };

  async run() {
    const { args, flags } = await this.parse(Init);
    const { initProject } = await import('../scaffolding/init-project.js');
    const { interruptSignal } = await import('../cli/interrupt-signal.js');
    const asks = !flags.yes && !this.jsonEnabled() && process.stdin.isTTY && process.stdout.isTTY;
    const result = await initProject({
      ...(args.directory !== undefined && { directory: args.directory }),
      ...(flags.template !== undefined && { template: flags.template }),
      ...(flags.name !== undefined && { name: flags.name }),
      ...(asks && { ask: (await import('../scaffolding/ask.js')).ask }),
      force: flags.force,
      git: flags.git,
      cwd: process.cwd(),
      version: this.config.version,
      signal: interruptSignal('Interrupted: removing the files that were written.'),
    });
    this.say(`Created ${result.packageName} in ${result.directory}: ${result.files.length} files.`);
    if (result.git?.note !== undefined) this.note(result.git.note);
    this.say('Next:');
    for (const command of result.next) this.say(`  ${command}`);
    return result;
  }
}
