import type { CheckedTraining } from '../experiments/check-training.js';
import { formatBytes, formatCount } from '../reporting/format-quantity.js';

/** The output of `train --check` for a reader. */
export function checkLines(checked: CheckedTraining): string[] {
  const { recipe, stages, steps, plugins, sampler, memory, tasks } = checked;
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
  const { needed, available } = memory;
  const counts = Object.entries(tasks).map(([split, count]) => `${count} ${split}`);
  return [
    `${recipe} would run, ${steps} steps in all:`,
    ...stages.map((stage) => `  ${stageLine(stage)}`),
    `tasks: ${counts.join(', ')}`,
    `plugins: ${versions.join(', ')}`,
    modelLine(checked),
    ...(sampler === null
      ? []
      : [`sampler: ${sampler.name}${sampler.address === undefined ? '' : ` at ${sampler.address}`}`]),
    `memory: about ${formatBytes(needed)}, and ${formatBytes(available)} are available; \`agentgym doctor --recipe\` lists the parts`,
  ];
}

/** With an adapter, what is trained is a small part of what is loaded and computed. */
function modelLine({ parameters, frozenParameters: frozen }: CheckedTraining): string {
  if (parameters === null) return 'model: unknown to its plugin';
  if (frozen === 0) return `model: up to ${formatCount(parameters)} parameters`;
  return `model: ${formatCount(parameters)} of ${formatCount(parameters + frozen)} parameters are trained`;
}
