import type { OutsideFiles } from '@agentgym/cli';

import type { Options } from '../options.js';
import { openFileTasks } from './file-tasks.js';
import { openGeneratedTasks } from './generated-tasks.js';
import type { TaskBook } from './task.js';

/** Throws if the options allow no task: a generator refuses them, or a file of the folder is no game. */
export function openTasks(options: Options, files: OutsideFiles): TaskBook {
  return options.game === 'files' ? openFileTasks(options, files) : openGeneratedTasks(options);
}
