// The ids of texts by the tokenizer of a folder, as JSON: node test/gguf/our-ids.js FOLDER < {"texts": [...]}
import { readFileSync } from 'node:fs';

import { outsideFiles } from '../../dist/files/outside-files.js';
import { openModel } from '../../plugins/policy-transformer/dist/checkpoint/adapter-folder.js';
import { createConversationEncoder } from '../../plugins/policy-transformer/dist/tokenizer/conversation-encoder.js';

const { tokenizer } = await openModel(outsideFiles, process.argv[2]);
const encoder = createConversationEncoder(tokenizer);
const { texts } = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(texts.map((text) => encoder.encodeAction(text))));
