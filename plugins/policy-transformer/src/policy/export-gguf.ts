import type { ExportedModel, GgufSettings, OutsideFiles } from '@agentgym/cli';

import { openModel, readAdapterWeights } from '../checkpoint/adapter-folder.js';
import { families } from '../checkpoint/families.js';
import { type GgufValue, writeGguf } from '../checkpoint/gguf/gguf-file.js';
import { ggufMetadata } from '../checkpoint/gguf/gguf-metadata.js';
import { ggufTensors } from '../checkpoint/gguf/gguf-tensors.js';
import type { SpecialIds } from '../checkpoint/decoder-config-json.js';
import { parameterShapes } from '../model/parameters.js';
import { totalElements } from '../operations/shapes.js';
import type { TransformerOptions } from '../options.js';
import { openTriedEncoder } from '../tokenizer/try-tokenizer.js';
import { type GgufVocabulary, ggufVocabulary } from '../tokenizer/gguf-vocabulary.js';
import { wholeWeights } from './whole-weights.js';

/** EOS, EOT and EOM. llama.cpp finds others by their spelling only. */
const MOST_ENDS = 3;
const types = { float32: 'F32', bfloat16: 'BF16', float16: 'F16', q8_0: 'Q8_0' } as const;

/**
 * Writes the model of a checkpoint as one GGUF file for llama.cpp, with its tokenizer and chat template. An adapter is
 * added to its base.
 *
 * @throws Error with the reason, before anything is written, if llama.cpp cannot compute the model or would encode texts in
 * another way; Error if the checkpoint has an adapter and `merge` is false, or the other way round
 */
export async function exportGguf(
  { thinking }: Pick<TransformerOptions, 'thinking'>,
  checkpoint: string,
  file: string,
  { dtype, merge, name, sampling, signal }: GgufSettings,
  files: OutsideFiles,
): Promise<ExportedModel> {
  const opened = await openModel(files, checkpoint);
  const { config, ids, tokenizer, adapter } = opened;
  if (merge && adapter === undefined) throw new Error('the checkpoint has no adapter: leave out `--merge`');
  if (!merge && adapter !== undefined) {
    throw new Error('a GGUF file has a whole model, and this checkpoint an adapter: add `--merge`');
  }
  const type = types[dtype];
  const metadata = ggufMetadata(config, { name, type, sampling });
  const { endIds } = await openTriedEncoder(tokenizer, { endIds: ids.eos, thinking });
  if (endIds.length > MOST_ENDS) {
    throw new Error(
      `a GGUF file cannot have this model: ${endIds.length} ids end an action (${endIds.join(', ')}), and a file names ${MOST_ENDS}. Leave those out of eos_token_id in generation_config.json that the model does not write.`,
    );
  }
  const vocabulary = ggufVocabulary(tokenizer, config.vocabularySize);
  for (const [key, value] of tokenizerMetadata(vocabulary, { ...ids, eos: endIds })) metadata.set(key, value);
  const factors = adapter && (await readAdapterWeights(files, checkpoint, config, adapter));
  const shapes = parameterShapes(config, { valueHead: false });
  const weights = wholeWeights(opened, shapes, factors, signal);
  await writeGguf(file, metadata, ggufTensors(config, weights, type));
  return { architecture: families[config.family].architecture, parameters: totalElements(shapes) };
}

function tokenizerMetadata(
  { addsBos, addsEos, chatTemplate, merges, pre, tokens, types: kinds }: GgufVocabulary,
  { bos, eos, pad }: SpecialIds,
): Map<string, GgufValue> {
  const ids = new Map<string, GgufValue>();
  const named = { bos, eos: eos[0], eot: eos[1], eom: eos[2], padding: pad };
  for (const [name, value] of Object.entries(named)) {
    if (value !== undefined) ids.set(`tokenizer.ggml.${name}_token_id`, { type: 'uint32', value });
  }
  return new Map<string, GgufValue>([
    ['tokenizer.ggml.model', { type: 'string', value: 'gpt2' }],
    ['tokenizer.ggml.pre', { type: 'string', value: pre }],
    ['tokenizer.ggml.tokens', { type: 'strings', value: tokens }],
    ['tokenizer.ggml.token_type', { type: 'int32s', value: kinds }],
    ['tokenizer.ggml.merges', { type: 'strings', value: merges }],
    ...ids,
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: addsBos }],
    ['tokenizer.ggml.add_eos_token', { type: 'bool', value: addsEos }],
    ['tokenizer.chat_template', { type: 'string', value: chatTemplate }],
  ]);
}
