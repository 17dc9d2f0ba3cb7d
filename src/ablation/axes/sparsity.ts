import { refuseOwn, rlStagesOf, wordsOf, type Axis } from './axis.js';

/** Reward schemes that pay for solving the task. Other terms, such as costs, stay in every cell. */
const schemes = ['sparse', 'balanced', 'dense', 'progress'];

/** Varies the reward from one at the end to one for every milestone (the Practitioner's Guide, section 4.3). */
export const sparsity: Axis = {
  name: 'sparsity',
  summary: 'Density of the reward: sparse, balanced, dense',
  cells({ plan, values }) {
    const stages = rlStagesOf('sparsity', plan);
    refuseOwn('sparsity', 'reward', 'stage', stages.find(({ own }) => own.reward !== undefined)?.name);
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
