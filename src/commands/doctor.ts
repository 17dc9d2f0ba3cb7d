import { BaseCommand } from '../cli/base-command.js';

const MARKS = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' } as const;

/** `agentgym doctor`: ends with 1 if it finds a problem. */
export default class Doctor extends BaseCommand {
  static override summary = 'Check the machine, the folders and the plugins';
  static override description =
    'The exit code is 1 if there is a problem. Attach the output of `--json` to a bug report.';
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json'];

  async run() {
    await this.parse(Doctor);
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
}
