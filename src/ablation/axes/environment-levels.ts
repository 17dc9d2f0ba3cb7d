import type { Json } from '../../contracts/json.js';
import { isKeyMap } from '../../config/recipe-layer.js';
import { cannotVary, type AxisContext, variedEnvironment } from './axis.js';

/**
 * Values of the environment's options that make tasks harder, by option. The user's values take precedence over those
 * that the environment proposes.
 *
 * @throws AG_ABLATION_AXIS if the option does not exist, or if no values are given or proposed
 */
export async function environmentLevels(
  axis: string,
  { plan, host, values }: AxisContext,
): Promise<ReadonlyMap<string, readonly Json[]>> {
  const { name } = variedEnvironment(axis, plan);
  const { contribution } = await host.find('environment', name);
  const declared = Object.entries(contribution.options).filter(([, option]) => option.axis === true);
  const names = declared.map(([option]) => option);
  if (names.length === 0) {
    throw cannotVary(axis, `the environment \`${name}\` has no option that is an axis`, seeOptions(name));
  }
  if (values === undefined) {
    const levels = declared.flatMap(([option, { levels: of }]) => (of === undefined ? [] : [[option, of] as const]));
    if (levels.length > 0) return new Map(levels);
    const hint = `Give values, such as \`--values '{${names[0]}: [1, 2]}'\`.`;
    throw cannotVary(axis, `the environment \`${name}\` proposes no levels of ${names.join(', ')}`, hint);
  }
  const [map] = values;
  if (values.length !== 1 || !isKeyMap(map)) {
    const hint = `Write a map of lists, such as \`--values '{${names[0]}: [1, 2]}'\`.`;
    throw cannotVary(axis, 'its values must be given per option', hint);
  }
  return new Map(
    Object.entries(map).map(([option, list]) => {
      if (!names.includes(option)) {
        throw cannotVary(
          axis,
          `\`${option}\` is not an axis of \`${name}\`; its axes are ${names.join(', ')}`,
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
