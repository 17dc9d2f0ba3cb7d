import type { Environment, World } from '../../contracts/environment.js';
import { show } from '../../rollout/copy-json.js';
import { requireMembers } from '../require-members.js';
import { splitNames } from './check-context.js';

/** Throws if the result of `open` is not a world. */
export function checkWorldShape(world: unknown): asserts world is World {
  requireMembers('open()', world, { instructions: 'string', splits: 'object', create: 'function' });
  const members = world as Record<string, unknown>;
  const { experts = [], maxTurns, splits } = members;
  if (!Array.isArray(experts) || !experts.every((name) => typeof name === 'string'))
    throw new Error('open().experts: must be a list of names');
  if (maxTurns !== undefined && !(Number.isSafeInteger(maxTurns) && (maxTurns as number) > 0))
    throw new Error(`open().maxTurns: must be a whole number above 0, not ${show(maxTurns)}`);
  for (const member of ['about', 'close']) refuseNoFunction('open()', world, member);
  for (const member of ['external', 'sharesClusters']) {
    if (!['undefined', 'boolean'].includes(typeof members[member]))
      throw new Error(`open().${member}: must be true or false, not ${show(members[member])}`);
  }
  for (const split of splitNames) {
    requireMembers('open().splits', splits, { [split]: 'object' });
    const source = (splits as Record<string, unknown>)[split];
    requireMembers(`open().splits.${split}`, source, { id: 'function', random: 'function' });
    const { count } = source as { count: unknown };
    if (count !== 'unbounded' && !(Number.isSafeInteger(count) && (count as number) >= 0))
      throw new Error(`open().splits.${split}.count: must be a whole number or 'unbounded', not ${String(count)}`);
  }
}

/** Throws if the result of `create` is not an instance. */
export function checkEnvironmentShape(environment: unknown): asserts environment is Environment {
  requireMembers('create()', environment, { reset: 'function', step: 'function', act: 'function' });
  for (const member of ['conclude', 'admissible', 'stateKey', 'snapshot', 'restore', 'dispose']) {
    refuseNoFunction('create()', environment, member);
  }
}

function refuseNoFunction(place: string, value: unknown, member: string): void {
  const actual = typeof (value as Record<string, unknown>)[member];
  if (actual !== 'undefined' && actual !== 'function')
    throw new Error(`${place}.${member}: must be a function, not ${actual}`);
}
