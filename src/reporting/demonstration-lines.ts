import type { DemonstrationSurvey } from '../demonstrations/survey-demonstrations.js';
import { formatBytes, formatShare } from './format-quantity.js';

/** The content of a file of demonstrations, for people. */
export function demonstrationLines(survey: DemonstrationSurvey): string[] {
  const { environments = [], splits = [], players = [], episodes, turns, success, withoutOutcome } = survey;
  const known = episodes - withoutOutcome;
  const tasks = survey.withoutTask === episodes ? 'none with a task' : `${survey.tasks} tasks`;
  const without =
    survey.withoutTask > 0 && survey.withoutTask < episodes ? `, ${survey.withoutTask} without a task` : '';
  return [
    `${survey.file}: demonstrations in the layout \`${survey.layout}\``,
    ...environments.map(({ name, package: from, version, options }) => {
      const settings = Object.entries(options).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      return `environment: ${name} of ${from} ${version}, ${settings.join(', ') || 'without options'}`;
    }),
    ...(splits.length > 0 ? [`split: ${splits.join(', ')}`, `player: ${players.join(', ')}`] : []),
    `episodes: ${episodes}, ${tasks}${without}`,
    `turns: ${turns}, ${(turns / episodes).toFixed(1)} per episode, at most ${survey.longest}`,
    ...(survey.contextTurns > 0 ? [`turns from which nothing is learned: ${survey.contextTurns}`] : []),
    ...(survey.toolCalls > 0 ? [`tool calls: ${survey.toolCalls}`] : []),
    success === null
      ? 'success: not known'
      : `success: ${formatShare(success)} of ${known}${withoutOutcome > 0 ? `, ${withoutOutcome} not known` : ''}`,
    digestLine(survey),
  ];
}

/** The counts of a file that was just written. */
export function writtenLines(
  written: Pick<DemonstrationSurvey, 'file' | 'bytes' | 'sha256' | 'tasks' | 'turns'> & {
    readonly played: number;
    readonly succeeded: number;
    readonly kept: number;
    readonly failed: number;
    readonly success: number;
  },
): string[] {
  const { file, played, succeeded, kept, failed, success, tasks, turns } = written;
  return [
    `played ${played} episodes, ${succeeded} solved (${formatShare(success)})${failed > 0 ? `, ${failed} failed` : ''}`,
    `kept ${kept} episodes of ${tasks} tasks, ${turns} turns, in ${file}`,
    digestLine(written),
  ];
}

function digestLine({ bytes, sha256 }: Pick<DemonstrationSurvey, 'bytes' | 'sha256'>): string {
  return `${formatBytes(bytes)}, SHA-256 ${sha256}`;
}
