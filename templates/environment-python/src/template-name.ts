import { fileURLToPath } from 'node:url';

import type { EnvironmentHost, World } from '@agentgym/cli';

import type { Options } from './options.js';

const program = fileURLToPath(new URL('../programs/game.py', import.meta.url));

/** The world is in Python. A process plays any number of games, and is replaced if one of them ends it. */
export function open({ processes, ...options }: Options, host: EnvironmentHost): Promise<World> {
  return host.openProgram(host.found['python']?.path ?? 'python3', [program], { options, processes });
}
