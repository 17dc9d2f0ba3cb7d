import type { OptimizerDeclaration, PolicyContribution } from '../contracts/plugin.js';
import { checkOptions } from './check-options.js';
import { settleFinding, type IdleContext } from './idle-settings.js';
import { nearestHint } from './nearest-name.js';
import { formatPath } from './recipe-layer.js';
import type { ParsedRecipe } from './recipe-schema.js';

/**
 * Checks the optimizer of each stage, and its options, against those that the policy declares. An option of another of
 * its optimizers has no effect. Defaults are not filled in: the policy knows them.
 */
export function checkOptimizers(
  { stages, policy: { name: policy } }: ParsedRecipe,
  { optimizers }: Pick<PolicyContribution, 'optimizers'>,
  context: IdleContext,
): void {
  for (const [stage, { optimizer }] of Object.entries(stages)) {
    const path = ['stages', stage, 'optimizer'];
    const declared = optimizers.find(({ name }) => name === optimizer.name);
    if (declared === undefined) {
      const names = optimizers.map(({ name }) => name);
      const hint = nearestHint(optimizer.name, names, `It has ${names.join(', ')}.`);
      const message = `\`${formatPath([...path, 'name'])}\` is ${optimizer.name}, but the policy \`${policy}\` does not have it`;
      context.complaints.add('AG_RECIPE_INVALID', [...path, 'name'], message, hint);
      continue;
    }
    checkOptimizer(optimizer.options, declared, optimizers, path, context);
  }
}

function checkOptimizer(
  given: Record<string, unknown>,
  { name, options, validate }: OptimizerDeclaration,
  others: readonly OptimizerDeclaration[],
  path: readonly string[],
  context: IdleContext,
): void {
  const settle = (key: string, finding: Parameters<typeof settleFinding>[0]) =>
    settleFinding(finding, [...path, 'options', key], context, () => delete given[key], given[key]);
  for (const key of Object.keys(given)) {
    const takers = others.filter((other) => Object.hasOwn(other.options, key)).map((other) => other.name);
    if (Object.hasOwn(options, key) || takers.length === 0) continue;
    const message = `it has no effect with \`${formatPath([...path, 'name'])}: ${name}\``;
    settle(key, { message, hint: `Remove it; it belongs to ${takers.join(' and ')}.`, idle: true });
    delete given[key];
  }
  const { values, findings } = checkOptions(options, given);
  for (const finding of findings) {
    context.complaints.addOption(finding, [...path, 'options', ...finding.path], `optimizer \`${name}\``);
  }
  if (findings.length > 0) return;
  for (const finding of validate?.(values) ?? []) {
    const key = finding.path[0] ?? '';
    if (Object.hasOwn(given, key)) settle(key, finding);
  }
}
