import { AgentgymError } from '../errors/agentgym-error.js';
import { localRunner } from './local-runner.js';
import { kubernetesOptions, kubernetesRenderer } from './rendered/kubernetes.js';
import type { Renderer } from './rendered/renderer.js';
import { slurmOptions, slurmRenderer } from './rendered/slurm.js';
import type { Runner } from './runner.js';
import type { RunnerName } from './runner-names.js';
import { type GivenOptions, readRunnerOptions } from './runner-options.js';

export interface RunnerRequest {
  readonly name: RunnerName;
  /** The head of a Ray cluster. Absent: RAY_API_SERVER_ADDRESS. */
  readonly address?: string;
  readonly options: GivenOptions;
  /** Runs at the same time. Absent: as many as there is room for. */
  readonly workers?: number;
  /** The same on this machine. */
  readonly localWorkers: number;
  readonly checksMemory: boolean;
  /** Version of agentgym, which nodes must have, too. */
  readonly version: string;
  /** Folder of the project whose plugins runs use. Absent: none. */
  readonly project?: string;
  /** Says what the user should know while runs wait. */
  readonly tell: (message: string) => void;
  readonly environment: { readonly [name: string]: string | undefined };
}

/**
 * What trains runs, or writes them down for a scheduler.
 *
 * @throws AG_COMMAND_USAGE for wrong options, AG_RUNNER_UNAVAILABLE if the cluster is not there
 */
export async function openRunner(request: RunnerRequest, signal: AbortSignal): Promise<Runner | Renderer> {
  const { address, checksMemory, environment, localWorkers, name, options, workers } = request;
  if (address !== undefined && name !== 'ray') {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: `\`--address\` has no effect with the runner ${name}.`,
      hint: 'Remove it, or add `--runner ray`.',
    });
  }
  switch (name) {
    case 'local':
      readRunnerOptions(name, {}, options);
      return localRunner(localWorkers, checksMemory);
    case 'slurm':
      return slurmRenderer(readRunnerOptions(name, slurmOptions, options), workers);
    case 'kubernetes':
      return kubernetesRenderer(readRunnerOptions(name, kubernetesOptions, options), workers);
    case 'ray': {
      const [{ rayRunner }, { rayAddress }, { rayOptions }] = await Promise.all([
        import('./ray/ray-runner.js'),
        import('./ray/ray-address.js'),
        import('./ray/ray-options.js'),
      ]);
      const checked = readRunnerOptions(name, rayOptions, options);
      return rayRunner(
        { ...request, address: rayAddress(address, checked.insecure, environment), options: checked },
        signal,
      );
    }
  }
}

export function isRenderer(runner: Runner | Renderer): runner is Renderer {
  return 'render' in runner;
}
