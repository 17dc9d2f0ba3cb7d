import { nearestName } from '../config/nearest-name.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { algorithm } from './axes/algorithm.js';
import type { Axis } from './axes/axis.js';
import { budget } from './axes/budget.js';
import { complexity } from './axes/complexity.js';
import { horizon } from './axes/horizon.js';
import { model } from './axes/model.js';
import { sparsity } from './axes/sparsity.js';
import { transfer } from './axes/transfer.js';

const namedAxes: readonly Axis[] = [sparsity, budget, horizon, algorithm, complexity, transfer, model];

/**
 * Throws AG_ABLATION_NOT_FOUND, with the nearest name.
 *
 * @param builtIn names of recipes with an ablation, which the user may have meant
 */
export function findAxis(name: string, builtIn: readonly string[]): Axis {
  const names = namedAxes.map((axis) => axis.name);
  const found = namedAxes.find((axis) => axis.name === name);
  if (found !== undefined) return found;
  const near = nearestName(name, [...names, ...builtIn]);
  throw new AgentgymError('AG_ABLATION_NOT_FOUND', {
    message: `There is no axis and no ablation \`${name}\`.`,
    hint:
      near === undefined
        ? `Axes are: ${names.join(', ')}; recipes with an ablation: ${builtIn.join(', ')}. Give the path of an ablation file.`
        : `Did you mean \`agentgym ablate ${near}\`?`,
  });
}
