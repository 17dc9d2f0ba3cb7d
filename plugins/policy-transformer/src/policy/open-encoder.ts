import type { ConversationEncoder, FolderEncoderSettings, OutsideFiles } from '@agentgym/cli';

import { readTokenizerFolder } from '../checkpoint/model-folder.js';
import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';

/** The encoder of a Hugging Face folder, whatever model it is of. The folder needs no weights. */
export async function openEncoder(
  folder: string,
  { thinking = 'template' }: FolderEncoderSettings = {},
  files: OutsideFiles,
): Promise<ConversationEncoder> {
  const { ids, tokenizer } = await readTokenizerFolder(files, folder);
  return createConversationEncoder(tokenizer, { endIds: ids.eos, thinking });
}
