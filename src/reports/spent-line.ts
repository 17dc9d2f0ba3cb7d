import { formatCount } from '../reporting/format-quantity.js';
import type { SpentTotals } from '../training/spending.js';

/** "1.0k demonstrations, 8.0k tasks, 128k episodes, ...": the costs, without those that are zero. */
export function spentLine(spent: Partial<SpentTotals>): string {
  const { demonstrations, tasks, episodes, turns, tokens, trainedTokens, optimizerSteps, operations, units } = spent;
  const counts: readonly (readonly [count: number | undefined, name: string])[] = [
    [units, 'units'],
    [demonstrations, 'demonstrations'],
    [episodes, 'episodes'],
    [tasks, 'distinct tasks'],
    [turns, 'turns'],
    [tokens, 'sampled tokens'],
    [trainedTokens, 'trained tokens'],
    [optimizerSteps, 'optimizer steps'],
  ];
  const said = counts.flatMap(([count, name]) => (count ? [`${formatCount(count)} ${name}`] : []));
  return [...said, ...(operations ? [`${operations.toExponential(1).replace('+', '')} FLOPs`] : [])].join(', ');
}
