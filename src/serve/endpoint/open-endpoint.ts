import { AgentgymError } from '../../errors/agentgym-error.js';
import { findModel, loadModel, usualActionTokens } from '../../experiments/find-model.js';
import { Instances } from '../../experiments/instances.js';
import type { HostSettings } from '../../plugins/create-host.js';
import type { PluginHost } from '../../plugins/open-plugin-host.js';
import { PolicyEndpoint } from './policy-endpoint.js';

export interface OpenEndpointRequest {
  /** A run, a folder with a model, or a pulled model. */
  readonly policy: string;
  readonly policyOptions?: { readonly [name: string]: unknown };
  readonly host: PluginHost;
  readonly settings: HostSettings;
  readonly runsFolder: string;
}

/** An endpoint, and the end of its model. */
export interface OpenEndpoint {
  readonly endpoint: PolicyEndpoint;
  dispose(): Promise<void>;
}

/**
 * Opens a model for clients. A run's own caps hold: the tokens of an action, unless a request asks for others, and of an episode.
 *
 * @throws AG_RUN_NOT_FOUND, and the errors of contributions
 */
export async function openEndpoint(request: OpenEndpointRequest): Promise<OpenEndpoint> {
  const { policy, host, runsFolder, settings } = request;
  const found = await findModel(policy, { runsFolder, cacheDirectory: settings.cacheDirectory });
  if (found === undefined) {
    throw new AgentgymError('AG_RUN_NOT_FOUND', {
      message: `\`${policy}\` is no run and no folder with a model, so it cannot be served.`,
      hint: '`agentgym runs list` lists the runs.',
    });
  }
  const model = await loadModel(found, new Instances(host, settings), request.policyOptions);
  const recipe = found.plan?.recipe;
  const maxTokens = Math.min(recipe?.rollout.maxEpisodeTokens ?? Infinity, model.capabilities.maxTokens);
  const maxActionTokens = recipe?.policy.sampling.maxActionTokens ?? usualActionTokens;
  const random = settings.random.stream('serve');
  const endpoint = new PolicyEndpoint({ model, name: found.origin, maxActionTokens, maxTokens, random });
  return { endpoint, dispose: () => model.dispose() };
}
