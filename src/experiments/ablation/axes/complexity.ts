import type { Json } from '../../../contracts/json.js';
import { isKeyMap } from '../../../config/recipe-layer.js';
import type { CellPlan } from '../ablation-plan.js';
import { cellId } from '../cell-id.js';
import { cannotVary, type Axis, type AxisContext } from './axis.js';

/** Options of the environment that make its tasks harder, one at a time (the Practitioner's Guide, section 4.2). */
export const complexity: Axis = {
  name: 'complexity',
  summary: "The environment's options that make tasks harder, one at a time",
  async cells(context) {
    const { recipe } = context;
    const levels = await levelsOf(context);
    const own: CellPlan = { id: 'recipe', settings: {} };
    const cells = [...levels].flatMap(([option, values]) =>
      values
        .filter((value) => JSON.stringify(value) !== JSON.stringify(recipe.environment.options[option]))
        .map((value) => {
          const key = `environment.options.${option}`;
          return { id: cellId({ [key]: value }, [key]), settings: { [key]: value } };
        }),
    );
    return {
      question: `How does learning fare as ${recipe.environment.name} gets harder?`,
      cells: [own, ...cells],
      reference: own.id,
    };
  },
};

/** Values to try, by option. */
async function levelsOf({ recipe, host, values }: AxisContext): Promise<ReadonlyMap<string, readonly Json[]>> {
  const { name } = recipe.environment;
  const { contribution } = await host.find('environment', name);
  const declared = Object.entries(contribution.options).filter(([, option]) => option.axis === true);
  const names = declared.map(([option]) => option);
  if (names.length === 0) {
    throw cannotVary('complexity', `the environment \`${name}\` has no option that is an axis`, seeOptions(name));
  }
  if (values === undefined) {
    const levels = declared.flatMap(([option, { levels: of }]) => (of === undefined ? [] : [[option, of] as const]));
    if (levels.length > 0) return new Map(levels);
    const hint = `Give values, such as \`--values '{${names[0]}: [1, 2]}'\`.`;
    throw cannotVary('complexity', `the environment \`${name}\` proposes no levels of ${names.join(', ')}`, hint);
  }
  const [map] = values;
  if (values.length !== 1 || !isKeyMap(map)) {
    const hint = `Write a map of lists, such as \`--values '{${names[0]}: [1, 2]}'\`.`;
    throw cannotVary('complexity', 'its values belong to options', hint);
  }
  return new Map(
    Object.entries(map).map(([option, list]) => {
      if (!names.includes(option)) {
        throw cannotVary(
          'complexity',
          `\`${option}\` is no axis of \`${name}\`: ${names.join(', ')} are`,
          seeOptions(name),
        );
      }
      return [option, (Array.isArray(list) ? list : [list]) as readonly Json[]];
    }),
  );
}

function seeOptions(name: string): string {
  return `\`agentgym describe environment ${name}\` shows its options.`;
}
