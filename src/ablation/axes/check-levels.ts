import { checkOptions } from '../../config/check-options.js';
import type { SplitName, TaskSource, TaskSplits } from '../../contracts/environment.js';
import type { Json } from '../../contracts/json.js';
import { callPlugin } from '../../plugins/call-plugin.js';
import { cannotVary, type AxisContext } from './axis.js';

/** An environment's options under a name; those that are left out have their defaults. */
interface EnvironmentLevel {
  readonly id: string;
  readonly options: { readonly [option: string]: Json };
}

/**
 * Refuses levels that the environment does not take, and levels that deal their tasks so differently that what one trains on another is tested
 * on: the runs would refuse that one by one, some of them after others were trained. Splits without bounds are left to the runs.
 */
export async function checkLevels(
  axis: string,
  levels: readonly EnvironmentLevel[],
  context: AxisContext,
): Promise<void> {
  const { recipe, host } = context;
  const located = await host.find('environment', recipe.environment.name);
  const module = await host.load(located);
  const { final, every, split } = recipe.evaluation;
  const learnt: readonly SplitName[] = every > 0 && split !== final.split ? ['train', split] : ['train'];
  const dealt: { readonly id: string; readonly splits: TaskSplits }[] = [];
  for (const { id, options } of levels) {
    const { values, findings } = checkOptions(located.contribution.options, options);
    const complete = values as { readonly [option: string]: never };
    const wrong = (located.contribution.validate?.(complete) ?? []).filter(({ idle }) => idle !== true);
    const [finding] = findings.length > 0 ? findings : wrong;
    if (finding !== undefined) throw cannotVary(axis, `${id}: ${finding.message}`, finding.hint);
    dealt.push({ id, splits: await callPlugin(located, 'tasks', () => module.tasks(complete)) });
  }
  for (const trained of dealt) {
    const seen = new Set(learnt.flatMap((name) => idsOf(trained.splits[name])));
    for (const tested of dealt) {
      const shared = idsOf(tested.splits[final.split]).filter((id) => seen.has(id));
      if (tested === trained || shared.length === 0) continue;
      throw cannotVary(
        axis,
        `${shared.length} tasks of the ${final.split} split of ${tested.id} are seen in training on ${trained.id}, the first being "${shared[0]}"`,
        'Choose levels that have no task in common, or an option under which tasks stay in their split.',
      );
    }
  }
}

function idsOf(source: TaskSource): string[] {
  return source.count === 'unbounded' ? [] : Array.from({ length: source.count }, (_, index) => source.id(index));
}
