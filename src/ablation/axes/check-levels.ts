import { checkOptions } from '../../config/check-options.js';
import type { SplitName } from '../../contracts/environment.js';
import type { Json } from '../../contracts/json.js';
import { Instances } from '../../experiments/instances.js';
import { allTasks } from '../../rollout/task-order.js';
import type { WorldHandle } from '../../rollout/world-handle.js';
import { cannotVary, type AxisContext, variedEnvironment } from './axis.js';

/** Named options of an environment. Missing options have their defaults. */
interface EnvironmentLevel {
  readonly id: string;
  readonly options: { readonly [option: string]: Json };
}

/**
 * Refuses levels that the environment does not accept. Refuses levels that split tasks differently, so that training
 * tasks of one level are test tasks of another. Each run would refuse these too, but some only after others were
 * trained. Unbounded splits are left to the runs.
 */
export async function checkLevels(
  axis: string,
  levels: readonly EnvironmentLevel[],
  context: AxisContext,
): Promise<void> {
  const { host, settings } = context;
  const { recipe } = context.plan;
  const located = await host.find('environment', variedEnvironment(axis, context.plan).name);
  const instances = new Instances(host, settings);
  const { final, every, split } = recipe.evaluation;
  const learnt: readonly SplitName[] = every > 0 && split !== final.split ? ['train', split] : ['train'];
  const dealt: { readonly id: string; readonly trained: ReadonlySet<string>; readonly tested: readonly string[] }[] =
    [];
  for (const { id, options } of levels) {
    const { values, findings } = checkOptions(located.contribution.options, options);
    const complete = values as { readonly [option: string]: never };
    const wrong = (located.contribution.validate?.(complete) ?? []).filter(({ idle }) => idle !== true);
    const [finding] = findings.length > 0 ? findings : wrong;
    if (finding !== undefined) throw cannotVary(axis, `${id}: ${finding.message}`, finding.hint);
    const { pool, world } = await instances.environment({ name: located.name, options });
    try {
      const trained = await Promise.all(learnt.map((name) => boundedTasks(world, name)));
      dealt.push({ id, trained: new Set(trained.flat()), tested: await boundedTasks(world, final.split) });
    } finally {
      await pool.dispose();
    }
  }
  for (const trained of dealt) {
    for (const tested of dealt) {
      const shared = tested.tested.filter((id) => trained.trained.has(id));
      if (tested === trained || shared.length === 0) continue;
      throw cannotVary(
        axis,
        `${shared.length} tasks of the ${final.split} split of ${tested.id} are training tasks of ${trained.id}; the first is "${shared[0]}"`,
        'Choose levels without common tasks, or an option that keeps tasks in their split.',
      );
    }
  }
}

async function boundedTasks({ splits }: WorldHandle, split: SplitName): Promise<readonly string[]> {
  return splits[split].count === 'unbounded' ? [] : allTasks(splits[split]);
}
