import type { CellPlan } from '../ablation-plan.js';
import { cellOfOption } from '../cell-id.js';
import { type Axis, variedEnvironment } from './axis.js';
import { environmentLevels } from './environment-levels.js';

/** Options of the environment that make its tasks harder, one at a time (the Practitioner's Guide, section 4.2). */
export const complexity: Axis = {
  name: 'complexity',
  summary: "The environment's options that make tasks harder, one at a time",
  async cells(context) {
    const { name, options } = variedEnvironment('complexity', context.plan);
    const levels = await environmentLevels('complexity', context);
    const own: CellPlan = { id: 'recipe', settings: {} };
    const cells = [...levels].flatMap(([option, values]) =>
      values
        .filter((value) => JSON.stringify(value) !== JSON.stringify(options[option]))
        .map((value) => cellOfOption(option, value)),
    );
    return {
      question: `How does harder ${name} change the results of training?`,
      cells: [own, ...cells],
      reference: own.id,
    };
  },
};
