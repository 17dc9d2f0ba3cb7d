import type { Environment, World } from '../../contracts/environment.js';
import { requireMembers } from '../require-members.js';
import { splitNames } from './check-context.js';

/** Throws where `open` gave something that no world can be. */
export function checkWorldShape(world: unknown): asserts world is World {
  requireMembers('open()', world, { instructions: 'string', splits: 'object', create: 'function' });
  const { experts = [], maxTurns, splits } = world as unknown as Record<string, unknown>;
  if (!Array.isArray(experts) || !experts.every((name) => typeof name === 'string'))
    throw new Error('open().experts: a list of names is wanted');
  if (maxTurns !== undefined && !(Number.isSafeInteger(maxTurns) && (maxTurns as number) > 0))
    throw new Error(`open().maxTurns: a whole number above 0 is wanted, not ${String(maxTurns)}`);
  for (const member of ['about', 'close']) refuseNoFunction('open()', world, member);
  for (const member of ['external', 'sharesClusters']) {
    const value = (world as unknown as Record<string, unknown>)[member];
    if (!['undefined', 'boolean'].includes(typeof value))
      throw new Error(`open().${member}: true or false is wanted, not ${String(value)}`);
  }
  for (const split of splitNames) {
    requireMembers('open().splits', splits, { [split]: 'object' });
    const source = (splits as Record<string, unknown>)[split];
    requireMembers(`open().splits.${split}`, source, { id: 'function', random: 'function' });
    const { count } = source as { count: unknown };
    if (count !== 'unbounded' && !(Number.isSafeInteger(count) && (count as number) >= 0))
      throw new Error(`open().splits.${split}.count: a whole number or 'unbounded' is wanted, not ${String(count)}`);
  }
}

/** Throws where `create` gave something that no instance can be. */
export function checkEnvironmentShape(environment: unknown): asserts environment is Environment {
  requireMembers('create()', environment, { reset: 'function', step: 'function', act: 'function' });
  for (const member of ['conclude', 'admissible', 'stateKey', 'snapshot', 'restore', 'dispose']) {
    refuseNoFunction('create()', environment, member);
  }
}

function refuseNoFunction(place: string, value: unknown, member: string): void {
  const actual = typeof (value as Record<string, unknown>)[member];
  if (actual !== 'undefined' && actual !== 'function')
    throw new Error(`${place}.${member}: a function is wanted, not ${actual}`);
}
