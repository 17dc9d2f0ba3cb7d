import type { EnvironmentHost } from '@agentgym/cli';
import type { TaskBook } from '@agentgym/world-kit';

import type { Options } from '../options.js';
import { openFileTasks } from './file-tasks.js';
import { openHouseholdTasks } from './household-tasks.js';
import type { Task } from './task.js';

/** Throws if the options allow no task: a file of the folder is no game, or none of its games can be won. */
export function openTasks(options: Options, host: Pick<EnvironmentHost, 'files' | 'log'>): TaskBook<Task> {
  return options.game === 'files' ? openFileTasks(options, host) : openHouseholdTasks(options);
}
