import { isDeepStrictEqual } from 'node:util';

import type { Json } from '../../contracts/json.js';
import type { CellPlan } from '../ablation-plan.js';
import { cellOfOption } from '../cell-id.js';
import { checkLevels } from './check-levels.js';
import { cannotVary, type Axis, type AxisContext, variedEnvironment } from './axis.js';
import { environmentLevels } from './environment-levels.js';

/** An environment for training, which is also an environment for testing. */
interface Level extends CellPlan {
  /** Options in which it differs from the recipe's environment. */
  readonly options: { readonly [option: string]: Json };
}

/**
 * Trains on each level of an option of the environment, and tests on all levels. This measures how much training on one
 * kind of task helps on the others (the Practitioner's Guide, tables 5 and 6). Every run is tested on all levels, so n
 * levels are n cells, not n times n.
 */
export const transfer: Axis = {
  name: 'transfer',
  summary: 'Levels of an option of the environment: train on each, test on all',
  async cells(context) {
    const { name, options } = variedEnvironment('transfer', context.plan);
    if (context.plan.recipe.evaluation.final.transfer !== undefined) {
      const hint = 'Remove the key from the recipe, or write an ablation file that keeps it.';
      throw cannotVary('transfer', 'the recipe chooses its own `evaluation.final.transfer`', hint);
    }
    const { option, own, levels } = await levelsOf(context);
    const [first, ...others] = levels;
    if (first === undefined || others.length === 0) {
      const hint = `Give two or more, such as \`--values '{${option ?? 'OPTION'}: [...]}'\`.`;
      throw cannotVary('transfer', `there is only one level, ${first?.id ?? own}`, hint);
    }
    // A level changes one option of the recipe. Unset options have the environment's defaults, as in the recipe.
    const complete = (changed: Level['options']) =>
      Object.fromEntries(Object.entries({ ...options, ...changed }).filter(([, value]) => value !== null));
    const played = levels.map((level) => ({ id: level.id, options: complete(level.options) }));
    await checkLevels('transfer', played, context);
    const what = option === undefined ? `one kind of ${name}` : `one ${option} of ${name}`;
    return {
      question: `How well does training on ${what} transfer to the others?`,
      cells: levels.map(({ id, settings }) => ({ id, settings })),
      reference: own,
      tests: levels.map(({ id }) => id),
      fixed: {
        'evaluation.final.transfer': Object.fromEntries(
          played.map((level) => [level.id, { name, options: level.options }]),
        ),
      },
    };
  },
};

interface Levels {
  /** The varied option, if there is only one. */
  readonly option?: string;
  /** Id of the recipe's own environment among the levels. */
  readonly own: string;
  readonly levels: readonly Level[];
}

/**
 * For one option: all its values, including the recipe's. For several options: each value alone, and the recipe without
 * changes.
 */
async function levelsOf(context: AxisContext): Promise<Levels> {
  const { options } = variedEnvironment('transfer', context.plan);
  const found = [...(await environmentLevels('transfer', context))];
  const chosen = context.values === undefined ? found.slice(0, 1) : found;
  const [only, ...more] = chosen;
  const isOwn = (option: string, value: Json) => isDeepStrictEqual(value, options[option] ?? null);
  const asItIs: Level = { id: 'recipe', settings: {}, options: {} };
  if (only !== undefined && more.length === 0) {
    const [option, values] = only;
    const value = options[option] ?? null;
    const own = value === null ? asItIs : levelOf(option, value);
    const levels = values.map((one) => (isOwn(option, one) ? own : levelOf(option, one)));
    return { option, own: own.id, levels: levels.includes(own) ? levels : [own, ...levels] };
  }
  const others = chosen.flatMap(([option, values]) =>
    values.filter((value) => !isOwn(option, value)).map((value) => levelOf(option, value)),
  );
  return { own: asItIs.id, levels: [asItIs, ...others] };
}

function levelOf(option: string, value: Json): Level {
  return { ...cellOfOption(option, value), options: { [option]: value } };
}
