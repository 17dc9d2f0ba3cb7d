import { Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';
import { interruptSignal } from '../cli/interrupt-signal.js';

/** `agentgym ui` */
export default class Ui extends BaseCommand {
  static override summary = 'Follow runs in a browser while they train';
  static override description =
    'Serves the list of runs, their report pages and comparisons, to this machine only. Pages update while runs train. The printed address contains ' +
    'a token; anyone with the token can read the pages. Set AGENTGYM_UI_TOKEN to keep the token, so that open pages reconnect after a restart.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --runs /data/runs --port 8080 --open',
    'ssh -L 8080:127.0.0.1:8080 machine <%= config.bin %> <%= command.id %> --port 8080',
  ];
  static override flags = {
    runs: Flags.string({ default: 'runs', helpValue: 'FOLDER', description: 'Folder of the runs' }),
    port: Flags.integer({ default: 0, min: 0, max: 65_535, description: 'Port to listen on; 0 takes any free port' }),
    host: Flags.string({
      default: '127.0.0.1',
      helpValue: 'ADDRESS',
      description: 'Address to listen on; any other than the default allows access from other machines',
    }),
    open: Flags.boolean({ default: false, description: 'Open the address in the browser of this machine' }),
  };

  async run() {
    const { flags } = await this.parse(Ui);
    const { serveRuns } = await import('../serve/serve-runs.js');
    const { openAddress } = await import('../cli/open-address.js');
    const { isLoopback } = await import('../serve/guard-request.js');
    const signal = interruptSignal('Stopping.');
    const token = process.env['AGENTGYM_UI_TOKEN'];
    // Opened when the first page of a run needs it.
    let plugins: ReturnType<typeof this.openPluginHost> | undefined;
    const server = await serveRuns({
      folder: flags.runs,
      port: flags.port,
      host: flags.host,
      version: this.config.version,
      remark: async (run) => {
        const { remarkOnRun } = await import('../advice/remark-on-run.js');
        plugins ??= this.openPluginHost();
        return remarkOnRun(run, { cwd: process.cwd(), host: await plugins, settings: await this.hostSettings(1) });
      },
      ...(token !== undefined && token !== '' && { token }),
    });
    const { url, runs } = server;
    if (!isLoopback(flags.host))
      this.note(`Other machines can reach ${flags.host}. Only the token protects the pages.`);
    this.announce({ url, runs });
    this.say(`Runs in ${runs}: ${url}`);
    this.say('Ctrl-C stops the server; runs continue.');
    if (flags.open) openAddress(url, (problem) => this.note(problem));
    if (!signal.aborted) await new Promise((stopped) => signal.addEventListener('abort', stopped, { once: true }));
    await server.close();
    return { url, runs };
  }
}
