import { isDeepStrictEqual } from 'node:util';

import type { EncoderSource, Host, PolicyModel, SamplingModel } from '@agentgym/cli';

import { adapterOf, openModel, readAdapterWeights } from '../checkpoint/adapter-folder.js';
import type { ModelTexts } from '../checkpoint/model-folder.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { adapterShapes, parameterShapes, trainableShapes, type Adapter } from '../model/parameters.js';
import { totalElements } from '../operations/shapes.js';
import type { TokenizerFiles } from '../tokenizer/tokenizer-files.js';
import type { Thinking } from '../tokenizer/chat-layout.js';
import { openTriedEncoder } from '../tokenizer/try-tokenizer.js';
import type { Engine } from '../worker/engine.js';
import { ParameterBlock } from '../worker/parameter-block.js';
import { adapterProgramBytes } from './memory-at-caps.js';
import { SequenceSampler, onCores } from './sequence-sampler.js';

/** A model whose weights adapters share. */
interface AdapterBase extends Pick<PolicyModel, 'capabilities' | 'encoder' | 'encoderSource'> {
  readonly engine: Engine;
  readonly host: Pick<Host, 'files' | 'cacheDirectory'>;
  readonly texts: ModelTexts;
  /** The folder of the weights. */
  readonly folder: string;
  readonly config: DecoderConfig;
  readonly thinking: Thinking;
  /** Where the encoder of a folder is opened again. */
  readonly sourceOf: (folder: string, tokenizer: TokenizerFiles) => EncoderSource;
}

/** Opens adapters over the weights of a model. */
export class AdapterOpener {
  readonly #base: AdapterBase;
  #count = 0;
  /** The shape of each open adapter, by its number. */
  readonly #open = new Map<number, string>();

  constructor(base: AdapterBase) {
    this.#base = base;
  }

  /** How many are open. */
  get open(): number {
    return this.#open.size;
  }

  async openAdapter(folder: string, availableBytes: number): Promise<SamplingModel> {
    const { capabilities, config, engine, host, texts, thinking, sourceOf } = this.#base;
    const { adapter: settings, ids, tokenizer } = await openModel(host.files, folder, { base: this.#base.folder });
    if (settings === undefined) throw new Error(`${folder} has no adapter`);
    const adapter = adapterOf(settings);
    const shape = JSON.stringify(adapter);
    const needed = this.#bytes(adapter, ![...this.#open.values()].includes(shape));
    if (needed > availableBytes) {
      throw new Error(
        `it needs about ${megabytes(needed)} MB of memory, and ${megabytes(availableBytes)} MB are free: unload another adapter`,
      );
    }
    // An adapter that was trained here has a copy of its base's tokenizer.
    const isSame = isDeepStrictEqual([tokenizer, ids], [texts.tokenizer, texts.ids]);
    const settingsOfEncoder = { endIds: ids.eos, embeddingRows: config.vocabularySize, thinking };
    const encoder = isSame
      ? this.#base.encoder
      : await openTriedEncoder(tokenizer, settingsOfEncoder, host.cacheDirectory);
    const encoderSource = isSame ? this.#base.encoderSource : sourceOf(folder, tokenizer);
    const block = new ParameterBlock(trainableShapes(config, { valueHead: false, adapter }));
    for (const [name, { data }] of await readAdapterWeights(host.files, folder, config, settings)) {
      block.views.get(name)!.set(data);
    }
    const number = (this.#count += 1);
    this.#open.set(number, shape);
    const all = Array.from({ length: engine.cores }, (_, core) => core);
    const close = async () => {
      this.#open.delete(number);
      await Promise.all(all.map((core) => engine.call(core, 'closeAdapter', [number])));
    };
    await onCores(
      all.map((core) => [core]),
      (_, core) => engine.call(core, 'openAdapter', [number, adapter, block.data]),
    ).catch(async (error: unknown) => {
      await close();
      throw error;
    });
    const sampler = new SequenceSampler(engine, number);
    return {
      capabilities,
      encoder,
      ...(encoderSource && { encoderSource }),
      generate: (...given) => sampler.generate(...given),
      release: (sequences) => sampler.release(sequences),
      dispose: close,
    };
  }

  /** What an adapter needs. The first one of a shape also brings programs, which others of this shape then share. */
  #bytes(adapter: Adapter, isNew: boolean): number {
    const { config, engine } = this.#base;
    const factors = 4 * totalElements(adapterShapes(config, adapter));
    const weights = 4 * totalElements(parameterShapes(config, { valueHead: false }));
    // It crosses to each core in a copy, beside the one that was read.
    return (engine.cores + 1) * factors + (isNew ? engine.cores * adapterProgramBytes(weights) : 0);
  }
}

function megabytes(bytes: number): number {
  return Math.max(0, Math.round(bytes / 1e6));
}
