import type { Recipe } from '../config/recipe-schema.js';
import type { PolicyModel } from '../contracts/policy.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { Toolbox } from '../rollout/toolbox.js';
import type { OpenEnvironment } from './open-environment.js';

interface PlayedIn {
  readonly environment: OpenEnvironment;
  readonly tools?: Toolbox | undefined;
}

interface Played {
  readonly entries: readonly PlayedIn[];
  readonly transfer: readonly PlayedIn[];
  readonly policy: Pick<PolicyModel, 'capabilities'>;
}

/** The environments and tools that depend on more than their calls, as clauses. Turns with them may cost something. */
export function externalParts({ entries, transfer }: Omit<Played, 'policy'>): readonly string[] {
  const all = [...entries, ...transfer];
  const environments = all.map(({ environment }) => environment).filter(({ world }) => world.external);
  const tools = all.flatMap((one) => one.tools?.named ?? []).filter(({ external }) => external);
  return [
    ...new Set(environments.map(({ name }) => `the environment ${name} is external`)),
    ...new Set(tools.map(({ name }) => `the tool ${name} is external`)),
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
