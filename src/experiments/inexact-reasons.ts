import type { Recipe } from '../config/recipe-schema.js';
import type { PolicyModel } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { ComposedReward, JudgedTerm } from '../rollout/compose-reward.js';
import type { Toolbox } from '../rollout/toolbox.js';
import type { OpenEnvironment } from './open-environment.js';

interface PlayedIn {
  readonly environment: OpenEnvironment;
  readonly tools?: Toolbox | undefined;
  readonly reward: ComposedReward;
}

interface Played {
  readonly entries: readonly PlayedIn[];
  readonly transfer: readonly PlayedIn[];
  /** The stages of reinforcement learning, which may have rewards of their own. */
  readonly rl: ReadonlyMap<string, { readonly rewards: readonly ComposedReward[] }>;
  readonly policy: Pick<PolicyModel, 'capabilities'>;
}

/** The judges of all rewards of a recipe. */
export function judgesOf({ entries, transfer, rl }: Omit<Played, 'policy'>): readonly JudgedTerm[] {
  const own = [...entries, ...transfer].map(({ reward }) => reward);
  return [...own, ...[...rl.values()].flatMap(({ rewards }) => rewards)].flatMap(({ judges }) => judges);
}

/**
 * The environments, tools and judges that depend on more than what they are given, as clauses. Turns with them may cost
 * something.
 */
export function externalParts(played: Omit<Played, 'policy'>): readonly string[] {
  const all = [...played.entries, ...played.transfer];
  const judges = judgesOf(played).filter(({ external }) => external);
  const environments = all.map(({ environment }) => environment).filter(({ world }) => world.external);
  const tools = all.flatMap((one) => one.tools?.named ?? []).filter(({ external }) => external);
  return [
    ...new Set(environments.map(({ name }) => `the environment ${name} is external`)),
    ...new Set(tools.map(({ name }) => `the tool ${name} is external`)),
    ...new Set(judges.map(({ name }) => `the judge ${name} is external`)),
  ];
}

/**
 * Reasons why another run of the recipe may differ from this one on any machine, as clauses for the manifest. Empty if
 * no run may differ.
 */
export function inexactReasons(
  { policy: { sampler }, rollout }: Recipe,
  { policy, ...played }: Played,
): readonly string[] {
  const { draws, independent } = policy.capabilities.sampler;
  return [
    ...externalParts(played),
    ...(draws ? [] : [`the ${sampler ? `sampler ${sampler.name}` : 'policy'} draws its own random numbers`]),
    ...(rollout.collection === 'free' && !independent
      ? [
          'with `rollout.collection: free` timing decides which episodes share a call, and the answers of the policy depend on that',
        ]
      : []),
  ];
}

/** Throws AG_RUN_INEXACT if the recipe requires `exact: true`, but its runs cannot be exact. */
export function refuseInexact(recipe: Recipe, parts: Played): void {
  const reasons = recipe.exact === true ? inexactReasons(recipe, parts) : [];
  if (reasons.length === 0) return;
  throw new AgentgymError('AG_RUN_INEXACT', {
    message: `The recipe requires \`exact: true\`, but ${reasons.join('; ')}.`,
    path: 'exact',
  });
}
