import { shellWord } from '../../errors/shell-word.js';
import { jobName, type TrainingJob } from '../runner.js';

/** Lines of bash that choose the run with this number, from 0, and train it, or continue it where it has begun. */
export function chooseRun(jobs: readonly TrainingJob[], folders: readonly string[], index: string): string[] {
  return [
    `folders=(${folders.map(shellWord).join(' ')})`,
    `names=(${jobs.map((job) => shellWord(jobName(job))).join(' ')})`,
    `folder=\${folders[${index}]}`,
    `name=\${names[${index}]}`,
  ];
}

/** The command that trains the chosen run. A run that a node lost goes on from its last checkpoint. */
export function trainCommand(command: string, recipe: string): string[] {
  return [
    'if [ -e "$folder/manifest.json" ]; then',
    `  set -- train --resume "$folder"`,
    'else',
    `  set -- train ${recipe} --output "$folder" --name "$name"`,
    'fi',
    `run() { ${command} "$@" --json; }`,
  ];
}
