import type { OutsideFiles } from '@agentgym/cli';
import type { TaskBook } from '@agentgym/world-kit';

import type { GameKind, Options } from '../options.js';
import { openFileTasks } from './file-tasks.js';
import { openGeneratedTasks } from './generated-tasks.js';
import { generators, type GeneratedKind, type Generator } from './generators.js';
import type { Task } from './task.js';

/** Throws if the options allow no task: a generator refuses them, or a file of the folder is no game. */
export function openTasks<Name extends GameKind>(
  kind: Name,
  options: Options<Name>,
  files: OutsideFiles,
): TaskBook<Task> {
  if (kind === 'files') return openFileTasks(options as Options<'files'>, files);
  const generate = generators[kind as GeneratedKind] as (given: Options<Name>) => Generator;
  return openGeneratedTasks(generate(options), options as Options<GeneratedKind>);
}
