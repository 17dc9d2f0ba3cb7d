import type { ConversationEncoder, FolderEncoderSettings, OutsideFiles } from '@agentgym/cli';

import { readTokenizerFolder } from '../checkpoint/model-folder.js';
import { openTriedEncoder } from '../tokenizer/try-tokenizer.js';

/** The encoder of a Hugging Face folder, whatever model it is of. The folder needs no weights. */
export async function openEncoder(
  folder: string,
  { cacheDirectory, thinking = 'template' }: FolderEncoderSettings = {},
  files: OutsideFiles,
): Promise<ConversationEncoder> {
  const { ids, tokenizer } = await readTokenizerFolder(files, folder);
  return openTriedEncoder(tokenizer, { endIds: ids.eos, thinking }, cacheDirectory);
}
