import { Flags } from '@oclif/core';

import { BaseCommand, setFlag } from '../cli/base-command.js';
import type { DiagnosedSubject } from '../cli/diagnose.js';
import { AgentgymError } from '../errors/agentgym-error.js';

const MARKS = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' } as const;

function refusal(message: string, hint: string): AgentgymError {
  return new AgentgymError('AG_COMMAND_USAGE', { message, hint });
}

/** `agentgym doctor`: ends with 1 if it finds a problem. */
export default class Doctor extends BaseCommand {
  static override summary =
    'Check the machine, the folders and the plugins, or whether a recipe fits into memory, or install what is missing';
  static override description =
    'The exit code is 1 if there is a problem. Attach the output of `--json` to a bug report. With `--recipe`, it lists the ' +
    'memory that training needs at its peak, part by part, if episodes are as long as the recipe allows. With `--fix`, it installs ' +
    'an optional part of a plugin, such as an engine: it prints what it will do, and asks first.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
    '<%= config.bin %> <%= command.id %> --recipe quickstart --set policy.options.microBatchTokens=4096',
    '<%= config.bin %> <%= command.id %> --fix tensorflow',
  ];
  static override flags = {
    recipe: Flags.string({ helpValue: 'RECIPE', description: 'Name of a built-in recipe, or path of a file' }),
    set: setFlag,
    quick: Flags.boolean({ description: 'Leave out measurements of speed', default: false }),
    fix: Flags.string({
      helpValue: 'NAME',
      description: 'Optional part to install, such as tensorflow',
      exclusive: ['recipe'],
    }),
    yes: Flags.boolean({ char: 'y', description: 'Install it without asking', default: false }),
  };

  async run() {
    const { flags } = await this.parse(Doctor);
    if (flags.recipe !== undefined) return this.#measure(flags.recipe, flags.set ?? []);
    if (flags.set !== undefined)
      throw refusal('`--set` has no effect without `--recipe`.', 'Name the recipe, such as `--recipe quickstart`.');
    if (flags.fix !== undefined) return this.#fix(flags.fix, flags.yes, flags.quick);
    if (flags.yes)
      throw refusal('`--yes` has no effect without `--fix`.', 'Say what to install, such as `--fix tensorflow`.');
    return this.#examine(flags.quick);
  }

  async #examine(quick: boolean) {
    const { diagnose } = await import('../cli/diagnose.js');
    const { dataDir, cacheDir, version } = this.config;
    const host = await this.openPluginHost();
    const subjects = await diagnose(host, await this.hostSettings(0), { data: dataDir, cache: cacheDir }, { quick });

    this.#show(subjects);
    const healthy = subjects.every(({ findings }) => findings.every(({ level }) => level !== 'problem'));
    if (!healthy) process.exitCode = 1;
    return { healthy, version, subjects };
  }

  #show(subjects: readonly DiagnosedSubject[]): void {
    for (const { subject, findings } of subjects) {
      this.say(subject);
      for (const { level, message, hint } of findings) {
        this.say(`  ${MARKS[level]}  ${message}`);
        if (hint !== undefined) this.say(`           ${hint}`);
      }
    }
  }

  async #fix(name: string, isAllowed: boolean, quick: boolean) {
    const { applyRemedy } = await import('../cli/apply-remedy.js');
    const { confirmOnTerminal } = await import('../cli/confirm.js');
    const { diagnoseContribution } = await import('../cli/diagnose.js');
    const settings = await this.hostSettings(0);
    const { plan, applied, located } = await applyRemedy(name, await this.openPluginHost(), settings, {
      say: (line) => this.say(line),
      confirm: async (question) =>
        isAllowed || (!this.jsonEnabled() && (await confirmOnTerminal(question, this.signal))),
    });
    if (!applied) throw refusal(`${name} was not installed: this needs a confirmation`, 'Confirm with `--yes`.');
    const subjects = await diagnoseContribution(located, settings, { quick: quick || plan.length === 0 });
    this.#show(subjects);
    return { version: this.config.version, fixed: name, plan, subjects };
  }

  async #measure(source: string, sets: readonly string[]) {
    const { planTraining } = await import('../experiments/start-training.js');
    const { fits, memoryBlocks } = await import('../reports/memory-blocks.js');
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
    await this.tell(memoryBlocks(memory));
    const healthy = fits(memory);
    if (!healthy) process.exitCode = 1;
    return { healthy, version, recipe, parameters, memory };
  }
}
