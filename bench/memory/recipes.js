// The built-in recipes with fewer steps: as many as reach about the peak of the whole run. Names are those of `recipes/`.
const steps = (sft, rl, ...others) => [
  ...(sft > 0 ? [`stages.sft.steps=${sft}`, 'stages.sft.optimizer.warmup=0'] : []),
  ...(rl > 0 ? [`stages.rl.steps=${rl}`, 'stages.rl.optimizer.warmup=0'] : []),
  ...others,
];
/** A growing horizon reaches its longest. */
const growing = 'horizon.every=1';
/** Episodes of 30 turns take long. A step has more of them than these evaluations. */
const short = [growing, 'evaluation.tasks=64', 'evaluation.final.tasks=64', 'stages.sft.demonstrations.count=4000'];

/** Settings by the name of the recipe's file. */
export const builtInRecipes = {
  'quickstart/recipe': steps(80, 20),
  'quickstart/control': steps(120, 0),
  'quickstart-language/recipe': steps(4, 2, 'evaluation.final.tasks=48'),
  'scaling-inter/recipe': steps(80, 20, growing),
  'scaling-inter/textcraft-start': steps(60, 0),
  'algorithms/recipe': steps(60, 4),
  'babyai/recipe': steps(60, 4),
  'alfworld/recipe': steps(60, 4),
  'textcraft/recipe': steps(60, 4, growing),
  'practitioners-guide/small-model': steps(60, 4),
  'practitioners-guide/budget': steps(60, 4),
  'practitioners-guide/recipe': steps(40, 2, 'evaluation.final.tasks=300'),
  'practitioners-guide/grpo': steps(40, 2, 'evaluation.final.tasks=300'),
  'practitioners-guide/rloo': steps(40, 2, 'evaluation.final.tasks=300'),
  'practitioners-guide/reinforce-plus-plus': steps(40, 2, 'evaluation.final.tasks=300'),
  'agentgym-rl/recipe': steps(40, 3, ...short),
  'agentgym-rl/ppo': steps(40, 3, ...short),
  'agentgym-rl/rloo': steps(40, 3, ...short),
  'agentgym-rl/react': steps(40, 3, ...short),
  'agentgym-rl/reinforce-plus-plus': steps(40, 3, ...short),
};
