import { AgentgymError } from '../../errors/agentgym-error.js';
import { refuseControls } from '../refuse-controls.js';
import { jobName, type TrainingJob } from '../runner.js';

/**
 * Refuses runs whose paths and names have control characters: they become part of scripts.
 *
 * @param who "The runner slurm"
 * @throws AG_COMMAND_USAGE
 */
export function checkPaths(who: string, jobs: readonly TrainingJob[], path: string): void {
  refuseControls(path, who);
  for (const job of jobs) for (const text of [job.directory, jobName(job)]) refuseControls(text, who);
}

/**
 * Refuses an option whose value is no single word of the kind that the scheduler takes. Empty values count as absent.
 *
 * @throws AG_COMMAND_USAGE
 */
export function checkWord(runner: string, option: string, value: string, pattern: RegExp, what: string): void {
  if (value === '' || pattern.test(value)) return;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`--runner-option ${option}=\` of ${runner} is not ${what}: ${JSON.stringify(value)}.`,
    hint: `Write ${what}.`,
  });
}
