import { resolve } from 'node:path';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { type FoundModel, findModel, loadModel, usualActionTokens } from '../../experiments/find-model.js';
import { Instances } from '../../experiments/instances.js';
import type { HostSettings } from '../../plugins/create-host.js';
import type { PluginHost } from '../../plugins/open-plugin-host.js';
import { PolicyEndpoint } from './policy-endpoint.js';
import type { ReaderData } from './reader-messages.js';
import { type OpenModel, ServedAdapters } from './served-adapters.js';

export interface OpenEndpointRequest {
  /** A run, a folder with a model, or a pulled model. */
  readonly policy: string;
  readonly policyOptions?: { readonly [name: string]: unknown };
  /** The folder from which clients may load adapters. Absent: they may load none. */
  readonly adapters?: string;
  readonly host: PluginHost;
  readonly settings: HostSettings;
  readonly runsFolder: string;
}

/** An endpoint, the adapters that clients load beside it, and the end of all models. */
export interface OpenEndpoint extends OpenModel {
  readonly adapters?: ServedAdapters;
  /** Opens its encoder in other threads. */
  readonly reader: ReaderData | undefined;
}

/**
 * Opens a model for clients. A run's own caps hold: the tokens of an action, unless a request asks for others, and of an episode.
 *
 * @throws AG_RUN_NOT_FOUND, and the errors of contributions
 */
export async function openEndpoint(request: OpenEndpointRequest): Promise<OpenEndpoint> {
  const { adapters: folder, policy, host, runsFolder, settings } = request;
  const found = await findModel(policy, { runsFolder, cacheDirectory: settings.cacheDirectory });
  if (found === undefined) {
    throw new AgentgymError('AG_RUN_NOT_FOUND', {
      message: `\`${policy}\` is not a run and not a folder with a model, so it cannot be served.`,
      hint: '`agentgym runs list` lists the runs.',
    });
  }
  const instances = new Instances(host, settings);
  const recipe = found.plan?.recipe;
  const maxActionTokens = recipe?.policy.sampling.maxActionTokens ?? usualActionTokens;
  const random = settings.random.stream('serve');
  const open = async (model: FoundModel): Promise<OpenModel> => {
    const loaded = await loadModel(model, instances, request.policyOptions);
    const maxTokens = Math.min(recipe?.rollout.maxEpisodeTokens ?? Infinity, loaded.capabilities.maxTokens);
    const options = { model: loaded, name: model.origin, maxActionTokens, maxTokens, random };
    return { endpoint: new PolicyEndpoint(options), dispose: () => loaded.dispose() };
  };
  const loaded = await open(found);
  const own = instances.records.find(({ kind }) => kind === 'policy');
  const base = { ...loaded, reader: own && { entry: own.entry, policy: own.name } };
  if (folder === undefined) return base;
  const adapters = new ServedAdapters({
    folder: resolve(folder),
    open: (origin, own) => open({ ...found, origin, folder: own, base: found.folder }),
  });
  return {
    ...base,
    adapters,
    dispose: async () => {
      await adapters.dispose();
      await base.dispose();
    },
  };
}
