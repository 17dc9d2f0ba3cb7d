import { relative } from 'node:path';

import { shellCommand } from '../runs/shell-command.js';

/** The command that sends a run or an ablation to MLflow later. */
export function trackCommand(directory: string): string {
  const path = relative('.', directory);
  return shellCommand(['agentgym', 'runs', 'track', path.startsWith('..') ? directory : path]);
}
