import type { Host, PolicyContext, PolicyModel } from '@agentgym/cli';
import { TabularPolicy } from '@agentgym/cli/testing';

/** A table of logits; the build bundles it, so that nothing of the host is imported at run time. */
export function create(_options: object, _host: Host, context: PolicyContext): Promise<PolicyModel> {
  return TabularPolicy.fromContext({ contextLength: 3, maxTokens: 1000 }, context);
}
