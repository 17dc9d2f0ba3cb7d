import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { OptionsDeclaration, OptionsOf } from '../../contracts/options.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { shellWord } from '../../errors/shell-word.js';
import { makeFolder } from '../../files/make-folder.js';
import { refuseControls } from '../refuse-controls.js';
import { writeRecipe } from '../train-process.js';
import { checkPaths, checkWord } from './check-words.js';
import type { Renderer } from './renderer.js';
import { schedulerName } from './scheduler-name.js';
import { chooseRun, trainCommand } from './train-script.js';

export const slurmOptions = {
  command: { type: 'string', default: 'agentgym', description: 'Command that starts agentgym on the nodes' },
  partition: { type: 'string', default: '', description: 'Partition; default: that of the cluster' },
  account: { type: 'string', default: '', description: 'Account that pays; default: that of the user' },
  time: {
    type: 'string',
    default: '',
    description: 'Longest time of a run, such as 04:00:00; default: that of the partition',
  },
  cpus: { type: 'integer', minimum: 1, default: 1, description: 'Processor cores of a run' },
  gpus: { type: 'integer', minimum: 0, default: 0, description: 'GPUs of a run' },
  memoryGiB: {
    type: 'integer',
    minimum: 1,
    default: null,
    description: 'Memory of a run; default: that of the partition',
  },
} as const satisfies OptionsDeclaration;

const who = 'The runner slurm';

/** Seconds before the end of the time limit at which a run saves its state and is queued again. */
const noticeSeconds = 120;

/**
 * One array job for all missing runs. The nodes must see the folder of the ablation at the same path, as clusters with
 * Slurm usually do.
 *
 * @param together runs at the same time; absent: as many as Slurm starts
 */
export function slurmRenderer(options: OptionsOf<typeof slurmOptions>, together: number | undefined): Renderer {
  const { account, command, cpus, gpus, memoryGiB, partition, time } = options;
  refuseControls(command, who);
  const words = Object.entries({ partition, account, time });
  for (const [name, value] of words) {
    checkWord('slurm', name, value, /^[\w.,:@%+/-]+$/, 'a word of letters, digits and the signs . , : @ % + / - _');
  }
  const logsIn = (path: string) => join(path, 'slurm', 'logs');
  return {
    check: (jobs, path) => {
      checkPaths(who, jobs, path);
      refuseControls(process.cwd(), who);
      logPattern(logsIn(path));
    },
    render: async (jobs, grid) => {
      const logs = logsIn(grid.path);
      for (const job of jobs) await writeRecipe(job);
      await makeFolder(logs);
      const file = join(grid.path, 'slurm', 'runs.sbatch');
      const limit = together === undefined ? '' : `%${together}`;
      const directives = [
        `--job-name=${schedulerName(grid)}`,
        `--array=0-${jobs.length - 1}${limit}`,
        `--cpus-per-task=${cpus}`,
        ...(gpus > 0 ? [`--gpus-per-task=${gpus}`, '--ntasks=1'] : []),
        ...(memoryGiB === null ? [] : [`--mem=${memoryGiB}G`]),
        ...words.flatMap(([name, value]) => (value === '' ? [] : [`--${name}=${value}`])),
        `--output=${logPattern(logs)}`,
        '--open-mode=append',
        '--requeue',
        `--signal=B:TERM@${noticeSeconds}`,
      ];
      const folders = jobs.map(({ directory }) => directory);
      const lines = [
        '#!/bin/bash',
        ...directives.map((directive) => `#SBATCH ${directive}`),
        '# Written by agentgym. The same `agentgym ablate` command writes it anew for the runs that are missing then.',
        `cd ${shellWord(process.cwd())} || exit 1`,
        ...chooseRun(jobs, folders, '$SLURM_ARRAY_TASK_ID'),
        ...trainCommand(command, '"$folder.json"'),
        // bash runs a trap only after a command in the foreground has ended, but interrupts `wait`.
        // `$!` and not `$child`: the signal may come before that is set.
        'trap \'pkill -TERM -P "$!" 2>/dev/null || kill -TERM "$!"\' TERM',
        'run "$@" &',
        'child=$!',
        'wait "$child"; code=$?',
        'while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done',
        '# 130: the run saved its state before the time limit or for another job, and goes on later.',
        'if [ "$code" = 130 ]; then scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"; fi',
        'exit "$code"',
      ];
      await writeFile(file, `${lines.join('\n')}\n`);
      return { files: [file], commands: [`sbatch ${shellWord(file)}`] };
    },
  };
}

/**
 * The file of each task's output, as a directive of sbatch has it: `%` begins a pattern, and sbatch's own parser of
 * directives knows double quotes, backslashes and comments (slurm, src/sbatch/opt.c).
 */
function logPattern(folder: string): string {
  if (folder.includes('\\')) {
    throw new AgentgymError('AG_COMMAND_USAGE', {
      message: `${who} cannot write logs into ${folder}: after a backslash, sbatch does not number them.`,
      hint: 'Choose another `--output`, or work in another folder.',
    });
  }
  const pattern = join(folder.replaceAll('%', '%%'), '%A-%a.log');
  return /^[\w@%+=:,./-]+$/.test(pattern) ? pattern : `"${pattern.replaceAll(/["#]/g, '\\$&')}"`;
}
