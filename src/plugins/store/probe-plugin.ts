import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { Contribution } from '../../contracts/plugin.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { compiledProgram } from '../../processes/compiled-program.js';
import { ownGroup } from '../../processes/own-group.js';
import type { PluginProblem } from '../load-plugin.js';
import type { PluginPackage } from './check-package.js';

/** A contribution that a plugin declares. */
export type ProbedContribution = Pick<Contribution, 'kind' | 'name' | 'summary'>;

/** The answer of the process that imports a plugin. */
export type ProbeAnswer =
  | { readonly contributions: readonly ProbedContribution[] }
  | { readonly problem: Pick<PluginProblem, 'message' | 'hint'> };

const LAST_LINES = 5;

/**
 * Imports a plugin's entry in a separate process and returns its contributions. An entry that throws, hangs or ends the
 * process causes no other damage. Processes that it starts end with that process, and with this one.
 *
 * @throws AgentgymError AG_PLUGIN_REFUSED
 */
export async function probePlugin(
  root: string,
  { name, version }: PluginPackage,
  signal: AbortSignal,
  seconds = 10,
): Promise<readonly ProbedContribution[]> {
  signal.throwIfAborted();
  const answer = await new Promise<ProbeAnswer>((resolve, reject) => {
    const child = fork(
      fileURLToPath(compiledProgram(new URL('./probe-process.js', import.meta.url))),
      [root, String(seconds)],
      {
        execArgv: [],
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        detached: process.platform !== 'win32',
      },
    );
    const group = ownGroup(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (said += text));
    let settled: ProbeAnswer | undefined;
    const abort = () => group.kill('SIGKILL');
    const refuse = (message: string) => (settled ??= { problem: { message, hint: 'Report it to its author.' } });
    const deadline = setTimeout(
      () => {
        refuse(`the import of its entry did not finish within ${seconds} s`);
        group.kill('SIGKILL');
      },
      1000 * seconds + 1000,
    );
    signal.addEventListener('abort', abort, { once: true });
    child.on('message', (message: ProbeAnswer) => (settled ??= message));
    child.on('error', (error) => refuse(`its entry could not be imported: ${error.message}`));
    child.on('close', (code, killed) => {
      clearTimeout(deadline);
      signal.removeEventListener('abort', abort);
      const last = said.trim().split('\n').slice(-LAST_LINES).join('\n');
      const how = killed === null ? `exit code ${code}` : killed;
      if (signal.aborted) reject(signal.reason as Error);
      else resolve(settled ?? refuse(`importing its entry ends the process (${how})${last && `:\n${last}`}`));
    });
  });
  if ('contributions' in answer) return answer.contributions;
  const { message, hint } = answer.problem;
  throw new AgentgymError('AG_PLUGIN_REFUSED', { message: `${name} ${version} is refused: ${message}`, hint });
}
