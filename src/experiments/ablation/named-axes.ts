import { nearestName } from '../../config/nearest-name.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { algorithm } from './axes/algorithm.js';
import type { Axis } from './axes/axis.js';
import { budget } from './axes/budget.js';
import { complexity } from './axes/complexity.js';
import { horizon } from './axes/horizon.js';
import { model } from './axes/model.js';
import { sparsity } from './axes/sparsity.js';
import { transfer } from './axes/transfer.js';

const namedAxes: readonly Axis[] = [sparsity, budget, horizon, algorithm, complexity, transfer, model];

/** Throws AG_ABLATION_NOT_FOUND, with the nearest name. */
export function findAxis(name: string): Axis {
  const names = namedAxes.map((axis) => axis.name);
  const found = namedAxes.find((axis) => axis.name === name);
  if (found !== undefined) return found;
  const near = nearestName(name, names);
  throw new AgentgymError('AG_ABLATION_NOT_FOUND', {
    message: `There is no axis \`${name}\`.`,
    hint:
      near === undefined
        ? `Axes are: ${names.join(', ')}. A grid file is given by its path.`
        : `Did you mean \`agentgym ablate ${near}\`?`,
  });
}
