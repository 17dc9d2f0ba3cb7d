// Every command imports this file, so it imports only oclif, types and small files. This keeps `--help` fast.
import { Command, Flags } from '@oclif/core';

import { AgentgymError, isAgentgymError } from '../errors/agentgym-error.js';
import { hideSecrets } from '../errors/hide-secrets.js';
import { errorCodes } from '../errors/error-codes.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import type { PluginSource } from '../plugins/plugin-source.js';
import type { Block } from '../reporting/blocks/block.js';
import { printable, styleOf } from '../reporting/terminal-style.js';
import { guardProcess, isOwnProcess, printDocument } from './guard-process.js';
import { interruptSignal } from './interrupt-signal.js';
import { manyFlag } from './many-flag.js';

/** Of commands that write nothing before their end. */
export const writesAtEnd = {
  said: 'Interrupted. Interrupt again to stop at once.',
  hint: 'Nothing was written; run the same command again.',
};

/** Flag of commands that change a recipe's keys. */
export const setFlag = manyFlag(
  'KEY=VALUE',
  'Set a key of the recipe, such as algorithm.groupSize=8; the value is read as YAML, null removes the key',
);

/** Flag of commands that install missing plugins. */
export const yesFlag = Flags.boolean({ char: 'y', description: 'Install missing plugins' });

/**
 * A command returns its document; under `--json`, only this document goes to standard output. `say` prints output for
 * the user, and `note` prints remarks to standard error. Errors are thrown; `main` prints them and sets the exit code.
 */
export abstract class BaseCommand extends Command {
  static override enableJsonFlag = true;

  /** What is said at the first interruption, and the hint of the error at the end. Absent: a run is saved, and can resume. */
  static interruption?: { readonly said: string; readonly hint: string };

  /** That of the class. A command sets it before it uses `signal`, if its flags decide. */
  protected interruption = (this.constructor as typeof BaseCommand).interruption;

  #isAnnounced = false;

  /** Prints a line for the user; prints nothing under `--json`. */
  protected say(line = ''): void {
    if (!this.jsonEnabled()) process.stdout.write(`${printable(line)}\n`);
  }

  /** Prints results for the user; prints nothing under `--json`. */
  protected async tell(blocks: readonly Block[]): Promise<void> {
    if (this.jsonEnabled()) return;
    const { terminalLines } = await import('../reporting/terminal-blocks.js');
    for (const line of terminalLines(blocks, styleOf(process.stdout, process.env))) this.say(line);
  }

  /** Where progress is shown. */
  protected display(quiet = this.jsonEnabled()) {
    const { stdout, stderr, env: environment } = process;
    return { quiet, stdout, stderr, environment };
  }

  /** The words after `agentgym`, as a manifest records them: without the secrets of addresses. */
  protected words(): readonly string[] {
    return [this.id ?? '', ...this.argv].map((word) => hideSecrets(word));
  }

  /** Prints a line to standard error, even under `--json`. */
  protected note(line: string): void {
    process.stderr.write(`${printable(hideSecrets(line))}\n`);
  }

  /** Aborted by the first Ctrl-C, SIGTERM or SIGHUP; a second one ends the process. */
  protected get signal(): AbortSignal {
    return interruptSignal(this.interruption?.said);
  }

  /**
   * Stops oclif from reading piped input as a missing argument. In a loop that reads lines, `agentgym list` would
   * consume one of them.
   */
  protected override parse: Command['parse'] = (options, argv) => {
    for (const argument of Object.values(options?.args ?? {})) Object.assign(argument as object, { ignoreStdin: true });
    return super.parse(options, argv);
  };

  /** The host over all installed plugins. With `install`, it installs missing plugins on demand. */
  protected async openPluginHostFor(install: boolean): Promise<PluginHost> {
    const host = await this.openPluginHost();
    if (!install) return host;
    const { installMissing } = await import('../plugins/install-missing.js');
    const { installOnDemand } = await import('./install-on-demand.js');
    const { config, signal } = this;
    const note = (line: string) => this.note(line);
    return installMissing(host, async (name) =>
      this.openPluginHost(await installOnDemand(name, { config, host, signal, note })),
    );
  }

  /**
   * The host over all plugins: installed ones, and those of the project around the current folder. Reports plugins that
   * were omitted, and those that replace others.
   */
  protected async openPluginHost(config = this.config): Promise<PluginHost> {
    const { openPluginHost } = await import('../plugins/open-plugin-host.js');
    const { installedPlugins } = await import('../plugins/project-plugins.js');
    const { replacedLines } = await import('../plugins/replaced-packages.js');
    const { sources, problems } = await installedPlugins(config, process.cwd());
    guardProcess(sources, this.jsonEnabled());
    const host = openPluginHost(sources, {}, problems);
    for (const line of replacedLines(sources)) this.note(line);
    for (const { plugin, message, hint } of await host.problems()) {
      this.note(`Plugin ${plugin} has a problem: ${message}. ${hint}`);
    }
    return host;
  }

  /** The packages that a host would open; none of their code runs. */
  protected async pluginPackages(): Promise<readonly PluginSource[]> {
    const { installedPlugins } = await import('../plugins/project-plugins.js');
    return (await installedPlugins(this.config, process.cwd())).sources;
  }

  /** Settings that all plugins created by this command share. */
  protected async hostSettings(seed: number): Promise<HostSettings> {
    const { createRandom } = await import('../random/create-random.js');
    const log = { info: (message: string) => this.note(message), warn: (message: string) => this.note(message) };
    const settings = { random: createRandom(seed), log, signal: this.signal, cacheDirectory: this.config.cacheDir };
    if (!isOwnProcess()) return settings;
    const { markCalls } = await import('./watch-process.js');
    return { ...settings, markCalls };
  }

  /** Prints the document of a server when it has started. It is not printed again at the end. */
  protected announce(document: object): void {
    if (this.jsonEnabled()) this.logJson(this.toSuccessJson(document));
    this.#isAnnounced = true;
  }

  override logJson(json: unknown): void {
    if (!this.#isAnnounced) printDocument(json);
  }

  protected override toSuccessJson(result: unknown): unknown {
    return { formatVersion: 1, ...(result as object) };
  }

  /** oclif would print here and end with 1. `main` does this in the same way for every command. */
  protected override catch(error: Error): Promise<never> {
    const { hint } = this.interruption ?? {};
    const isInterrupted = isAgentgymError(error) && error.code === 'AG_INTERRUPTED';
    // An error with a hint of its own knows better.
    const told =
      hint !== undefined && isInterrupted && error.hint === errorCodes.AG_INTERRUPTED.cure
        ? new AgentgymError('AG_INTERRUPTED', { message: error.message, hint, cause: error })
        : error;
    throw Object.assign(told, { command: this.id });
  }
}
