import { checkOptions } from '../config/check-options.js';
import type { OptionsDeclaration, OptionsOf } from '../contracts/options.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import type { RunnerName } from './runner-names.js';

/** Options as `--runner-option` gives them. */
export type GivenOptions = { readonly [name: string]: unknown };

/** The checked options of a runner. Throws AG_COMMAND_USAGE with the first that is wrong. */
export function readRunnerOptions<D extends OptionsDeclaration>(
  runner: RunnerName,
  declaration: D,
  given: GivenOptions,
): OptionsOf<D> {
  const { values, findings } = checkOptions(declaration, given);
  const [finding] = findings;
  if (finding === undefined) return values as OptionsOf<D>;
  throw new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`--runner-option\` of ${runner}: ${finding.message}.`,
    hint: finding.hint ?? 'Remove it.',
  });
}
