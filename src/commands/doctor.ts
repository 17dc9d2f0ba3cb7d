import { Flags } from '@oclif/core';

import { BaseCommand, setFlag } from '../cli/base-command.js';

const MARKS = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' } as const;

async function refuseSet(): Promise<never> {
  const { AgentgymError } = await import('../errors/agentgym-error.js');
  const message = '`--set` has no effect without `--recipe`.';
  throw new AgentgymError('AG_COMMAND_USAGE', { message, hint: 'Name the recipe, such as `--recipe quickstart`.' });
}

/** `agentgym doctor`: ends with 1 if it finds a problem. */
export default class Doctor extends BaseCommand {
  static override summary = 'Check the machine, the folders and the plugins, or whether a recipe fits into memory';
  static override description =
    'The exit code is 1 if there is a problem. Attach the output of `--json` to a bug report. With `--recipe`, it lists the ' +
    'memory that training needs at its peak, part by part, if episodes are as long as the recipe allows.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
    '<%= config.bin %> <%= command.id %> --recipe quickstart --set policy.options.microBatchTokens=4096',
  ];
  static override flags = {
    recipe: Flags.string({ helpValue: 'RECIPE', description: 'Name of a built-in recipe, or path of a file' }),
    set: setFlag,
  };

  async run() {
    const { flags } = await this.parse(Doctor);
    if (flags.recipe !== undefined) return this.#measure(flags.recipe, flags.set ?? []);
    if (flags.set !== undefined) await refuseSet();
    return this.#examine();
  }

  async #examine() {
    const { diagnose } = await import('../cli/diagnose.js');
    const { dataDir, cacheDir, version } = this.config;
    const host = await this.openPluginHost();
    const subjects = await diagnose(host, await this.hostSettings(0), { data: dataDir, cache: cacheDir });

    for (const { subject, findings } of subjects) {
      this.say(subject);
      for (const { level, message, hint } of findings) {
        this.say(`  ${MARKS[level]}  ${message}`);
        if (hint !== undefined) this.say(`           ${hint}`);
      }
    }
    const healthy = subjects.every(({ findings }) => findings.every(({ level }) => level !== 'problem'));
    if (!healthy) process.exitCode = 1;
    return { healthy, version, subjects };
  }

  async #measure(source: string, sets: readonly string[]) {
    const [{ planTraining }, { fits, memoryLines }] = await Promise.all([
      import('../experiments/start-training.js'),
      import('../reports/memory-lines.js'),
    ]);
    const { version } = this.config;
    const planned = await planTraining({
      source,
      sets,
      memory: { short: 'advise' },
      cwd: process.cwd(),
      runsFolder: 'runs',
      host: await this.openPluginHost(),
      settings: await this.hostSettings(0),
      version,
    });
    const { recipe, parameters, memory } = await planned.check();
    this.say(`memory of ${recipe}`);
    for (const line of memoryLines(memory)) this.say(line);
    const healthy = fits(memory);
    if (!healthy) process.exitCode = 1;
    return { healthy, version, recipe, parameters, memory };
  }
}
