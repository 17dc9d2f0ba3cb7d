import type { CheckedTraining } from '../experiments/check-training.js';
import { formatBytes, formatCount, formatSeconds } from '../reporting/format-quantity.js';
import type { TriedTraining } from '../runners/try-training.js';

/** What `train --check` tells without trying a step, except the memory. */
export function checkLines(checked: CheckedTraining): string[] {
  const { recipe, requirements, stages, steps, plugins, sampler, tasks } = checked;
  const stageLine = ({ name, kind, steps: own, skipped, episodes, demonstrations }: (typeof stages)[number]) => {
    const what =
      episodes !== undefined
        ? `, ${formatCount(episodes)} episodes each`
        : demonstrations !== undefined
          ? ` on ${formatCount(demonstrations)} demonstrations`
          : '';
    return skipped ? `${name} (${kind}): skipped, its budget is 0` : `${name} (${kind}): ${own} steps${what}`;
  };
  const versions = [...new Set(plugins.map((plugin) => `${plugin.package} ${plugin.version}`))];
  const counts = Object.entries(tasks).map(([split, count]) => `${count} ${split}`);
  return [
    `${recipe} would run, ${steps} steps in all:`,
    ...stages.map((stage) => `  ${stageLine(stage)}`),
    `tasks: ${counts.join(', ')}`,
    `plugins: ${versions.join(', ')}`,
    ...requirements.map(
      ({ name, path, version }) => `needs: ${name}${version === undefined ? '' : ` ${version}`} at ${path}`,
    ),
    modelLine(checked),
    ...(sampler === null
      ? []
      : [`sampler: ${sampler.name}${sampler.address === undefined ? '' : ` at ${sampler.address}`}`]),
  ];
}

/**
 * The time and the memory of a run.
 *
 * @param trial null: what is external forbids one; undefined: nobody asked for one
 */
export function costLines(
  { external, memory }: Pick<CheckedTraining, 'external' | 'memory'>,
  trial: TriedTraining | null | undefined,
): string[] {
  const { needed, available } = memory;
  const there = `${formatBytes(available)} are available; \`agentgym doctor --recipe\` lists the parts`;
  const time =
    trial === undefined ? [] : [`time: ${trial === null ? `not tried: ${external.join('; ')}` : timeOf(trial)}`];
  const peak = trial?.peakBytes ?? undefined;
  if (peak === undefined) return [...time, `memory: at most ${formatBytes(needed)}, and ${there}`];
  const used = `about ${formatBytes(peak)} were used in these steps`;
  return [
    ...time,
    peak > needed
      ? `memory: ${used}, more than the ${formatBytes(needed)} that a whole run should take; ${there}`
      : `memory: ${used}; a whole run takes at most ${formatBytes(needed)}, and ${there}`,
  ];
}

function timeOf({ seconds, steps }: TriedTraining): string {
  const { total, preparation, supervised, reinforcement, evaluations } = seconds;
  const parts = Object.entries({ preparation, supervised, 'reinforcement learning': reinforcement, evaluations })
    .filter(([, part]) => part > 0)
    .map(([name, part]) => `${name} ${formatSeconds(part)}`);
  return `about ${formatSeconds(total)} (${parts.join(', ')}), from ${steps} steps of each stage that were tried`;
}

/** With an adapter, what is trained is a small part of what is loaded and computed. */
function modelLine({ parameters, frozenParameters: frozen }: CheckedTraining): string {
  if (parameters === null) return 'model: unknown to its plugin';
  if (frozen === 0) return `model: up to ${formatCount(parameters)} parameters`;
  return `model: ${formatCount(parameters)} of ${formatCount(parameters + frozen)} parameters are trained`;
}
