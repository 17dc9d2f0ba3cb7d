import type { Json } from '../../contracts/json.js';
import { cannotVary, stagesOf, wordsOf, type Axis } from './axis.js';

/**
 * Learns from pairs or from imitation rather than by policy gradient, or is a variant of another; tried only where it
 * is asked for.
 */
const apart = ['dpo', 'expert-iteration', 'dr-grpo', 'gspo', 'dapo'];

/** How advantages and loss are made. Options that another algorithm has too keep the recipe's values. */
export const algorithm: Axis = {
  name: 'algorithm',
  summary: 'The installed algorithms',
  async cells({ plan, host, values }) {
    const { algorithm: base } = plan.recipe;
    if (base === undefined || stagesOf(plan, 'rl').length === 0) {
      throw cannotVary('algorithm', 'the recipe has no rl stage', 'Use a recipe with one, such as quickstart.');
    }
    const installed = await host.contributions('algorithm');
    const all = installed.map(({ name }) => name).filter((name) => !apart.includes(name));
    const tried = wordsOf('algorithm', values ?? [base.name, ...all.filter((name) => name !== base.name)]);
    const own = (await host.find('algorithm', base.name)).contribution.options;
    // Defaults are each algorithm's own.
    const chosen = Object.entries(base.options).filter(
      ([option, value]) => JSON.stringify(value) !== JSON.stringify(own[option]?.default),
    );
    const cells = await Promise.all(
      tried.map(async (name) => {
        const { contribution } = await host.find('algorithm', name);
        const kept = chosen.filter(([option]) => Object.hasOwn(contribution.options, option));
        const settings: Json = { name, options: Object.fromEntries<Json>(kept) };
        return { id: name, settings: { algorithm: settings } };
      }),
    );
    const reference = tried.includes(base.name) ? base.name : (tried[0] ?? '');
    return { question: 'Which algorithm learns this best under one budget?', cells, reference };
  },
};
