import type { Host, OptionsDeclaration, OptionsOf, PolicyContext, PolicyModel } from '@agentgym/cli';
import { TabularPolicy } from '@agentgym/cli/testing';

export const options = {
  memory: { type: 'integer', minimum: 1, maximum: 8, default: 3, description: 'Tokens that choose a row of the table' },
} as const satisfies OptionsDeclaration;

export function create(
  { memory }: OptionsOf<typeof options>,
  _host: Host,
  context: PolicyContext,
): Promise<PolicyModel> {
  return TabularPolicy.fromContext({ contextLength: memory }, context);
}
