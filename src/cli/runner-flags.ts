import { type Config, Flags } from '@oclif/core';

import { manyFlag } from './many-flag.js';
import type { RunnerRequest } from '../runners/open-runner.js';
import { runnerNames, type RunnerName } from '../runners/runner-names.js';

/** Flags of commands that train here or on a cluster. */
export function runnerFlags(names: readonly RunnerName[] = runnerNames) {
  return {
    runner: Flags.option({
      options: names,
      default: 'local' as const,
      description: 'Where runs are trained',
    })(),
    address: Flags.string({
      helpValue: 'URL',
      description: 'Head of the Ray cluster, such as `http://localhost:8265`; default: RAY_API_SERVER_ADDRESS',
    }),
    'runner-option': manyFlag('KEY=VALUE', 'Option of the runner, such as cpus=2; the value is read as YAML'),
  } as const;
}

/** What these flags and their neighbours ask for. */
export async function runnerRequest(
  flags: {
    readonly runner: RunnerName;
    readonly address?: string | undefined;
    readonly 'runner-option'?: readonly string[] | undefined;
    readonly 'memory-check': boolean;
    readonly workers?: number | undefined;
  },
  config: Config,
  localWorkers: number,
  tell: RunnerRequest['tell'],
): Promise<RunnerRequest> {
  const { address, runner, workers } = flags;
  const { parseOptions } = await import('./parse-playing-flags.js');
  const { projectPluginSources } = await import('../plugins/project-plugins.js');
  const { folder, sources } = await projectPluginSources(process.cwd(), config.root);
  return {
    name: runner,
    ...(address !== undefined && { address }),
    options: parseOptions(flags['runner-option'] ?? [], '--runner-option'),
    ...(workers !== undefined && { workers }),
    localWorkers,
    checksMemory: flags['memory-check'],
    version: config.version,
    ...(folder !== undefined && sources.length > 0 && { project: folder }),
    tell,
    environment: process.env,
  };
}
