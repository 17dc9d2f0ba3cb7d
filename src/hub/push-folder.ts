import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { commitIter, createRepo, HubApiError } from '@huggingface/hub';

import { AgentgymError } from '../errors/agentgym-error.js';
import type { TransferEvent, TransferredFile } from '../transfers/transfer-event.js';
import { callHub, type HubAccess, hubFault, libraryParameters } from './hub-access.js';
import { isModelName, readBase, refuseOtherName } from './pulled-model.js';

/** What to push, and where to. */
export interface PushSettings {
  /** A folder with a model: a Hugging Face folder. */
  readonly folder: string;
  /** ORG/NAME. The repository is created if it does not exist. */
  readonly model: string;
  /** Whether a new repository is private. Absent: the organization's default. */
  readonly isPrivate?: boolean | undefined;
  readonly hub: HubAccess;
  readonly onEvent: (event: TransferEvent) => void;
}

/** The result of a push. */
export interface PushedModel {
  readonly model: string;
  readonly url: string;
  readonly commit: string;
  readonly files: readonly TransferredFile[];
  /** Files of the folder that no model needs. They stay here. */
  readonly leftOut: readonly string[];
}

/** Files of a model. Everything else, such as the state of a trainer, stays. */
const modelFiles =
  /^(README\.md|(LICEN[CS]E|NOTICE)(\.\w+)?|[\w.-]*config\.json|(tokenizer|special_tokens_map|added_tokens|vocab|chat_template)\.json|merges\.txt|chat_template\.jinja|(model|adapter_model)(-\d+-of-\d+)?\.safetensors(\.index\.json)?)$/;

/**
 * Uploads the files of a model in one commit: readers see all of them or none. Needs a token with the right to write.
 *
 * @throws AgentgymError AG_COMMAND_USAGE, AG_MODEL_UNUSABLE, AG_TRANSFER_REFUSED, AG_TRANSFER_FAILED
 */
export async function pushFolder({ folder, model, isPrivate, hub, onEvent }: PushSettings): Promise<PushedModel> {
  refuseOtherName(model);
  if (hub.token === undefined) {
    throw new AgentgymError('AG_TRANSFER_REFUSED', {
      message: 'A push needs a token, but HF_TOKEN is not set.',
      hint: 'Create a token with the right to write on the hub, and set HF_TOKEN.',
    });
  }
  const { files, leftOut } = await filesOf(folder);
  const repo = { type: 'model', name: model } as const;
  const parameters = { ...libraryParameters(hub), accessToken: hub.token };
  return callHub(hub, `model ${model}`, async () => {
    await createRepo({ repo, ...(isPrivate !== undefined && { private: isPrivate }), ...parameters }).catch(
      (error: unknown) => {
        // The repository exists. The commit tells whether the token may write there.
        if (!(error instanceof HubApiError && error.statusCode === 409)) throw error;
      },
    );
    onEvent({ type: 'planned', files });
    const operations = files.map(({ name }) => {
      return { operation: 'addOrUpdate' as const, path: name, content: pathToFileURL(join(folder, name)) };
    });
    const title = 'Upload a model trained with agentgym';
    const commits = commitIter({ repo, operations, title, abortSignal: hub.signal, ...parameters });
    const bytes = new Map(files.map((file) => [file.name, file.bytes]));
    for (;;) {
      const { done, value } = await commits.next();
      if (done === true) {
        for (const { name } of files) onEvent({ type: 'finished', name, outcome: 'transferred' });
        const commit: unknown = value?.commit.oid ?? '';
        if (typeof commit !== 'string' || !/^[0-9a-f]{0,64}$/i.test(commit)) {
          throw hubFault(
            `${hub.endpoint}/${model}`,
            'a commit that is not a hash; look there whether it has the files',
          );
        }
        return { model, url: `${hub.endpoint}/${model}`, commit, files, leftOut };
      }
      if (value.event !== 'fileProgress' || value.state !== 'uploading') continue;
      onEvent({ type: 'progress', name: value.path, done: Math.round(value.progress * (bytes.get(value.path) ?? 0)) });
    }
  });
}

async function filesOf(folder: string): Promise<Pick<PushedModel, 'files' | 'leftOut'>> {
  const names = (await readdir(folder)).sort();
  const chosen = names.filter((name) => modelFiles.test(name));
  const isAdapter = chosen.includes('adapter_config.json');
  const needed = isAdapter ? ['adapter_model.safetensors'] : ['config.json', 'tokenizer.json'];
  const lacking = needed.find((name) => !chosen.includes(name));
  const without = lacking ?? (chosen.some((name) => name.endsWith('.safetensors')) ? undefined : 'safetensors');
  if (without !== undefined) {
    throw new AgentgymError('AG_MODEL_UNUSABLE', {
      message: `${folder} is not the folder of a model: it has no ${without}.`,
      hint: 'Push a run, or a folder that `agentgym export` wrote.',
      file: folder,
    });
  }
  if (isAdapter) await refuseLocalBase(join(folder, 'adapter_config.json'));
  const files = await Promise.all(chosen.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })));
  return { files, leftOut: names.filter((name) => !chosen.includes(name)) };
}

/** A base that is a folder of this machine is of no use on a hub, and may contain names of people. */
async function refuseLocalBase(file: string): Promise<void> {
  const base = await readBase(file);
  if (typeof base === 'string' && isModelName(base)) return;
  throw new AgentgymError('AG_MODEL_UNUSABLE', {
    message: `The adapter names its base as ${JSON.stringify(base)}, which is not the name of a model on a hub.`,
    hint: 'Push the run with `--base ORG/NAME`, or with `--merge` as a whole model.',
    file,
  });
}
