import { fileURLToPath } from 'node:url';

import type { EnvironmentHost, World } from '@agentgym/cli';

import type { Options } from './options.js';

const program = fileURLToPath(new URL('../programs/play_callable.py', import.meta.url));

export function open({ processes, python, ...options }: Options, host: EnvironmentHost): Promise<World> {
  return host.openProgram(host.found['python']?.path ?? python ?? 'python3', [program], { options, processes });
}
