import type { Host, PolicyContext, PolicyModel } from '@agentgym/cli';
/** A table of logits; the build bundles it, so that nothing of the host is imported at run time. */
export declare function create(_options: object, _host: Host, context: PolicyContext): Promise<PolicyModel>;
