import { cannotVary, stagesOf, wordsOf, type Axis } from './axis.js';

/** Reward schemes that pay for solving the task. Other terms, such as costs, stay in every cell. */
const schemes = ['sparse', 'balanced', 'dense', 'progress'];

/** Varies the reward from one at the end to one for every milestone (the Practitioner's Guide, section 4.3). */
export const sparsity: Axis = {
  name: 'sparsity',
  summary: 'Density of the reward: sparse, balanced, dense',
  cells({ plan, values }) {
    if (stagesOf(plan, 'rl').length === 0) {
      throw cannotVary('sparsity', 'the recipe has no rl stage', 'Use a recipe with one, such as quickstart.');
    }
    const own = stagesOf(plan, 'rl').find((stage) => stage.own.reward !== undefined)?.name;
    if (own !== undefined) {
      const hint = `Remove \`stages.${own}.reward\`, or write an ablation file.`;
      throw cannotVary('sparsity', `the stage \`${own}\` has its own reward`, hint);
    }
    const tried = wordsOf('sparsity', values ?? ['sparse', 'balanced', 'dense']);
    const { terms } = plan.recipe.reward;
    const weight = terms.find(({ name }) => schemes.includes(name))?.weight ?? 1;
    const others = terms.filter(({ name }) => !schemes.includes(name) && !tried.includes(name));
    const cells = tried.map((name) => ({
      id: name,
      settings: { 'reward.terms': [{ name, weight, options: {} }, ...others] },
    }));
    return { question: 'Does the density of the reward matter?', cells, reference: tried[0] ?? '' };
  },
};
