import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { testHost } from '@agentgym/cli/testing';
import { expect, it } from 'vitest';

import { createConversationEncoder } from '../tokenizer/conversation-encoder.js';
import { familyFiles } from '../tokenizer/fixtures/family-files.js';
import { openEncoder } from './open-encoder.js';

const { files } = testHost();
it('opens the encoder of a folder without weights, of any model', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-encoder-'));
  try {
    const { chatTemplate, config, tokenizer } = familyFiles('qwen3');
    writeFileSync(join(folder, 'tokenizer.json'), tokenizer);
    writeFileSync(join(folder, 'tokenizer_config.json'), config);
    if (chatTemplate !== undefined) writeFileSync(join(folder, 'chat_template.jinja'), chatTemplate);
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ model_type: 'a mixture of experts', eos_token_id: 151_643 }),
    );
    const encoder = await openEncoder(folder, { thinking: 'keep' }, files);
    const expected = createConversationEncoder(familyFiles('qwen3'), { endIds: [151_643], thinking: 'keep' });
    expect(encoder.begin('Play well.', 'You see a door.')).toEqual(expected.begin('Play well.', 'You see a door.'));
    expect(encoder.endIds).toEqual(expected.endIds);
    expect(encoder.endIds).toContain(151_643);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
