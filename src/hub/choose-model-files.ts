import { AgentgymError } from '../errors/agentgym-error.js';
import type { FileHash } from '../transfers/file-hash.js';
import type { HubEntry } from './hub-listing.js';

/** A file of a model on a hub. */
export interface HubFile {
  readonly name: string;
  readonly bytes: number;
  readonly hash: FileHash;
}

const indexName = 'model.safetensors.index.json';
const wholeName = 'model.safetensors';
const requiredNames = ['config.json', 'tokenizer.json'];
/** Names of PEFT. An adapter needs no other file, because its base has them. */
export const adapterConfigName = 'adapter_config.json';
const adapterWeightsName = 'adapter_model.safetensors';
const texts =
  /^(config|generation_config|tokenizer|tokenizer_config|special_tokens_map|added_tokens|chat_template)\.json$|^chat_template\.jinja$|^(LICEN[CS]E|NOTICE)(\.\w+)?$/i;
const pickles = /^(pytorch|adapter)_model.*\.bin$|\.(pt|pth|ckpt|pkl|msgpack|h5)$/;

/** A model has about ten. */
const mostTexts = 100;

/** The files that a model needs, of all files in its repository: texts first, then weights. */
export interface ChosenFiles {
  readonly texts: readonly HubFile[];
  /** One file, or the index whose shards are still to be chosen. */
  readonly weights: HubFile;
  /** Chooses the shards that the index names. Absent: the weights are one file. */
  readonly shards?: (index: string) => readonly HubFile[];
}

/**
 * Chooses what a model, or an adapter in PEFT's format, needs: configuration, tokenizer, template, licence and
 * safetensors. Other weights in the repository are left out. A repository with both is a model.
 *
 * @throws AgentgymError AG_MODEL_UNUSABLE
 */
export function chooseModelFiles(model: string, listed: readonly HubEntry[]): ChosenFiles {
  // Only files at the top are needed, so that no name leaves the folder.
  const entries = new Map(listed.map((entry) => [entry.path, entry]));
  const file = (name: string) => hubFile(model, entries.get(name)!);
  const ofModel = [wholeName, indexName].find((name) => entries.has(name));
  const isAdapter = ofModel === undefined && entries.has(adapterConfigName);
  const lacking = isAdapter ? undefined : requiredNames.find((name) => !entries.has(name));
  if (lacking !== undefined) throw unusable(model, `it has no ${lacking}`);
  const wanted = isAdapter ? adapterWeightsName : wholeName;
  const weightsName = ofModel ?? (entries.has(wanted) ? wanted : undefined);
  if (weightsName === undefined) {
    const pickle = [...entries.keys()].find((name) => pickles.test(name));
    const only = pickle === undefined ? '' : `, only ${pickle}, which agentgym does not open because it can run code`;
    throw unusable(model, `it has no ${wanted}${only}`);
  }
  const names = [...entries.keys()].filter((name) => texts.test(name) || (isAdapter && name === adapterConfigName));
  if (names.length > mostTexts) throw unusable(model, `it has ${names.length} licences and settings`);
  return {
    texts: names.map(file),
    weights: file(weightsName),
    ...(weightsName === indexName && {
      shards: (index: string) => {
        const names = shardNames(model, index);
        const missing = names.find((name) => !entries.has(name));
        if (missing !== undefined) throw unusable(model, `it lacks ${missing}, which ${indexName} names`);
        return names.map(file);
      },
    }),
  };
}

function shardNames(model: string, index: string): readonly string[] {
  try {
    const { weight_map: map } = JSON.parse(index) as { readonly weight_map: { readonly [name: string]: string } };
    const names = [...new Set(Object.values(map))].sort();
    if (names.length > 0 && names.every((name) => /^[\w.-]+\.safetensors$/.test(name))) return names;
  } catch {
    // The same error as for an index with other content.
  }
  throw unusable(model, `its ${indexName} cannot be read, or does not name safetensors files`);
}

function hubFile(model: string, { bytes, oid, path, sha256 }: HubEntry): HubFile {
  if (sha256 !== undefined) return { name: path, bytes, hash: { algorithm: 'sha256', value: sha256 } };
  if (oid !== undefined) return { name: path, bytes, hash: { algorithm: 'git-blob', value: oid } };
  throw unusable(model, `the hub lists no hash of ${path}`);
}

function unusable(model: string, problem: string): AgentgymError {
  return new AgentgymError('AG_MODEL_UNUSABLE', { message: `The model ${model} cannot be used: ${problem}.` });
}
