import type { OutsideFiles } from '@agentgym/cli';

import { parseDecoderConfig } from '../checkpoint/decoder-config-json.js';
import { ggufConfig } from '../checkpoint/gguf/gguf-config.js';
import { type GgufHeader, readGgufHeader } from '../checkpoint/gguf/gguf-header.js';
import { ggufSource } from '../checkpoint/gguf/gguf-source.js';
import { ggufName, interleave, turnedHeads } from '../checkpoint/gguf/gguf-tensors.js';
import { writeModelFiles } from '../checkpoint/model-folder.js';
import { readSource, type TensorSource } from '../checkpoint/safetensors.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { parameterShapes } from '../model/parameters.js';
import { ggufTokenizer } from '../tokenizer/gguf-tokenizer.js';
import { tryTokenizer } from '../tokenizer/try-tokenizer.js';

const FACTORS = 'rope_freqs.weight';
const MOST_FACTORS = 65_536;

/**
 * Writes the model of a GGUF file as a Hugging Face folder, into an existing empty folder. Numbers of 16 bits keep their type,
 * quantized ones become float32.
 *
 * @throws Error that names the file and what is wrong or cannot be computed
 */
export async function importGguf(file: string, directory: string, files: OutsideFiles): Promise<void> {
  const header = await openHeader(files, file);
  const { bos, eos, pad, tokens, ...tokenizer } = ggufTokenizer(header.fields);
  const config = parseDecoderConfig(ggufConfig(header, tokens, await readFactors(files, file, header)));
  if (config.vocabularySize < tokens) {
    throw new Error(
      `${file}: token_embd.weight has ${config.vocabularySize} rows, and the vocabulary ${tokens} tokens`,
    );
  }
  try {
    await tryTokenizer(tokenizer, { endIds: eos }, undefined);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
  const ids = { eos, ...(bos !== undefined && { bos }), ...(pad !== undefined && { pad }) };
  await writeModelFiles(directory, { config, ids, tokenizer }, weightsOf(files, file, header, config));
}

/** Angles have a number for each pair of a head, so few that they are read at once. */
async function readFactors(
  files: OutsideFiles,
  file: string,
  { entries }: GgufHeader,
): Promise<Float32Array | undefined> {
  const factors = entries.get(FACTORS);
  if (factors === undefined) return undefined;
  if (factors.shape.length === 1 && factors.shape[0]! <= MOST_FACTORS)
    return readSource(ggufSource(files, file, factors));
  throw new Error(`${file}: ${FACTORS} has the shape [${factors.shape.join(', ')}], not half of the width of a head`);
}

async function openHeader(files: OutsideFiles, path: string): Promise<GgufHeader> {
  const file = await files.open(path);
  try {
    return await readGgufHeader(file, path);
  } finally {
    await file.close();
  }
}

/** The weights by Hugging Face's names. Throws if a tensor is missing, has another shape, or is not known. */
function weightsOf(
  files: OutsideFiles,
  file: string,
  { entries }: GgufHeader,
  config: DecoderConfig,
): Map<string, TensorSource> {
  const weights = new Map<string, TensorSource>();
  const unknown = new Set(entries.keys());
  unknown.delete(FACTORS);
  for (const [name, shape] of parameterShapes(config, { valueHead: false })) {
    const stored = ggufName(config, name);
    const entry = entries.get(stored);
    if (entry === undefined) throw new Error(`${file} has no tensor ${stored}`);
    if (entry.shape.join() !== shape.join()) {
      throw new Error(`${file}: ${stored} has the shape [${entry.shape.join(', ')}], not [${shape.join(', ')}]`);
    }
    unknown.delete(stored);
    const source = ggufSource(files, file, entry);
    const heads = turnedHeads(config, name);
    weights.set(name, heads === undefined ? source : { ...source, pieces: () => interleave(source, heads, true) });
  }
  const [other] = unknown;
  if (other !== undefined)
    throw new Error(`${file} has a tensor ${other}, which ${config.family} models do not have here`);
  return weights;
}
