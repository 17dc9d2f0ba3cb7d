import { cannotVary, wordsOf, type Axis } from './axis.js';

/** Sizes of a policy that is built from scratch. */
export const model: Axis = {
  name: 'model',
  summary: 'The size of the policy: its presets',
  async cells({ plan, host, values }) {
    const { policy } = plan.recipe;
    const { contribution } = await host.find('policy', policy.name);
    const presets = contribution.presets.map(({ name }) => name);
    const { preset } = policy;
    if (preset === undefined) {
      const hint = 'Use a recipe with `policy.preset`, or write an ablation file that varies `policy.from`.';
      throw cannotVary('model', 'the recipe starts from given weights', hint);
    }
    // Only the sizes next to the recipe's: larger ones take many times as long.
    const at = presets.indexOf(preset);
    const tried = wordsOf('model', values ?? presets.slice(Math.max(0, at - 1), at + 2));
    if (tried.length < 2) {
      throw cannotVary(
        'model',
        `the policy \`${policy.name}\` has no other preset`,
        `Its presets are: ${presets.join(', ')}.`,
      );
    }
    const cells = tried.map((name) => ({ id: name, settings: { 'policy.preset': name } }));
    return {
      question: 'Does a larger model learn more?',
      cells,
      reference: tried.includes(preset) ? preset : (tried[0] ?? ''),
    };
  },
};
