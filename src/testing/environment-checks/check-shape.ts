import type { Environment, TaskSplits } from '../../contracts/environment.js';
import { requireMembers } from '../require-members.js';
import { splitNames } from './check-context.js';

/** Throws where `create` gave something that no environment can be. */
export function checkEnvironmentShape(environment: unknown): asserts environment is Environment {
  const wanted = { instructions: 'string', reset: 'function', step: 'function', sampleAction: 'function' } as const;
  requireMembers('create()', environment, wanted);
  const { experts = {} } = environment as { experts?: unknown };
  requireMembers('create().experts', experts, {});
  for (const [name, expert] of Object.entries(experts as object)) {
    if (typeof expert !== 'function')
      throw new Error(`create().experts.${name}: a function is wanted, not ${typeof expert}`);
  }
}

/** Throws where `tasks` gave something that no splits can be. */
export function checkSplitsShape(splits: unknown): asserts splits is TaskSplits {
  for (const split of splitNames) {
    requireMembers('tasks()', splits, { [split]: 'object' });
    const source = (splits as Record<string, unknown>)[split];
    requireMembers(`tasks().${split}`, source, { id: 'function', random: 'function' });
    const { count } = source as { count: unknown };
    if (count !== 'unbounded' && !(Number.isSafeInteger(count) && (count as number) >= 0))
      throw new Error(`tasks().${split}.count: a whole number or 'unbounded' is wanted, not ${String(count)}`);
  }
}
