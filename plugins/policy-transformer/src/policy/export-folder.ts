import type { ExportedModel, ExportSettings, OutsideFiles } from '@agentgym/cli';

import { openModel, readAdapterWeights, writeAdapterFolder } from '../checkpoint/adapter-folder.js';
import { writeModelFiles } from '../checkpoint/model-folder.js';
import { sourcesOf } from '../checkpoint/safetensors.js';
import { families } from '../checkpoint/families.js';
import { parameterShapes } from '../model/parameters.js';
import type { StoredType } from '../operations/half-floats.js';
import { totalElements } from '../operations/shapes.js';
import type { TransformerOptions } from '../options.js';
import { openTriedEncoder } from '../tokenizer/try-tokenizer.js';
import { wholeWeights } from './whole-weights.js';

const types = { float32: 'F32', bfloat16: 'BF16', float16: 'F16' } as const satisfies { [name: string]: StoredType };

/**
 * Writes the model of a checkpoint as a folder that needs nothing else, into an existing empty folder. Weights pass in
 * pieces, so that memory does not grow with the model. The folder of an adapter names its base; with `merge` the adapter
 * is added to the base.
 */
export async function exportFolder(
  { thinking }: Pick<TransformerOptions, 'thinking'>,
  checkpoint: string,
  directory: string,
  { dtype, merge, nameBase, sampling, maxActionTokens, signal }: ExportSettings,
  files: OutsideFiles,
): Promise<ExportedModel> {
  const opened = await openModel(files, checkpoint);
  const { config, ids, tokenizer, base, adapter: settings } = opened;
  const shapes = parameterShapes(config, { valueHead: false });
  const { architecture } = families[config.family];
  if (merge && settings === undefined) throw new Error('the checkpoint has no adapter: leave out `--merge`');
  const factors = settings && (await readAdapterWeights(files, checkpoint, config, settings));
  if (settings !== undefined && factors !== undefined && !merge) {
    if (dtype !== 'float32') throw new Error(`an adapter is written as float32, not ${dtype}: add \`--merge\``);
    const named = (await nameBase?.(base)) ?? { name: base };
    await writeAdapterFolder(directory, { settings, base: named, factors: sourcesOf(factors), tokenizer });
    const parameters = [...factors.values()].reduce((sum, { data }) => sum + data.length, 0);
    return { architecture, parameters, base: named };
  }
  const weights = wholeWeights(opened, shapes, factors, signal);
  // The template's end token ends an action, so it must end a text of `transformers`, too.
  const { endIds } = await openTriedEncoder(tokenizer, { endIds: ids.eos, thinking });
  const style = { type: types[dtype], sampling: { ...sampling, maxTokens: maxActionTokens } };
  await writeModelFiles(directory, { config, ids: { ...ids, eos: endIds }, tokenizer }, weights, style);
  return { architecture, parameters: totalElements(shapes) };
}
