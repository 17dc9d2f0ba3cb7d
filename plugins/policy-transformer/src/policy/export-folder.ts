import type { ExportedModel, ExportSettings } from '@agentgym/cli';

import { checkWeightShapes, refuseNotFinite } from '../checkpoint/fill-weights.js';
import type { StoredType } from '../checkpoint/half-floats.js';
import { readModelTexts, writeModelFiles } from '../checkpoint/model-folder.js';
import type { TensorSource } from '../checkpoint/safetensors.js';
import { weightSources } from '../checkpoint/weight-files.js';
import { architectures } from '../checkpoint/decoder-config-json.js';
import { parameterShapes } from '../model/parameters.js';
import { elementCount } from '../operations/shapes.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';

const types = { float32: 'F32', bfloat16: 'BF16', float16: 'F16' } as const satisfies { [name: string]: StoredType };

/**
 * Writes the model of a checkpoint as a folder that needs nothing else, into an existing empty folder. Weights pass in
 * pieces, so that memory does not grow with the model.
 */
export async function exportFolder(
  checkpoint: string,
  directory: string,
  { dtype, sampling, maxActionTokens, signal }: ExportSettings,
): Promise<ExportedModel> {
  const { config, ids, tokenizer } = await readModelTexts(checkpoint);
  const shapes = parameterShapes(config, { valueHead: false });
  const given = await weightSources(checkpoint);
  checkWeightShapes(given, shapes);
  const weights = new Map([...shapes.keys()].map((name) => [name, checked(name, given.get(name)!, signal)]));
  // The template's end token ends an action, so it must end a text of `transformers`, too.
  const { endIds } = createConversationEncoder(tokenizer, ids.eos);
  const style = { type: types[dtype], sampling: { ...sampling, maxTokens: maxActionTokens } };
  await writeModelFiles(directory, { config, ids: { ...ids, eos: endIds }, tokenizer }, weights, style);
  return {
    architecture: architectures[config.family],
    parameters: [...shapes.values()].reduce((sum, shape) => sum + elementCount(shape), 0),
  };
}

function checked(name: string, source: TensorSource, signal: AbortSignal): TensorSource {
  return {
    shape: source.shape,
    async *pieces() {
      for await (const piece of source.pieces()) {
        signal.throwIfAborted();
        refuseNotFinite(name, piece);
        yield piece;
      }
    },
  };
}
