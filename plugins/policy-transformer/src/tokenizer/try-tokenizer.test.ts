/** Files that take forever, or all memory: they end a process of their own. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, inject, it } from 'vitest';

import { familyFiles } from './fixtures/family-files.js';
import type { TokenizerFiles } from './tokenizer-files.js';
import { trainByteLevelTokenizer } from './train-byte-level-tokenizer.js';
import { trainWordTokenizer } from './train-word-tokenizer.js';
import { openTriedEncoder, tryTokenizer } from './try-tokenizer.js';

const cache = mkdtempSync(join(tmpdir(), 'agentgym-trial-'));
afterAll(() => rmSync(cache, { recursive: true }));

const files = familyFiles('smollm2');
const json = JSON.parse(files.tokenizer) as { [part: string]: object };
const templated = (start: string): TokenizerFiles => ({ ...files, chatTemplate: start + files.chatTemplate! });
const split = (Regex: string): TokenizerFiles => {
  const parts = [{ type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false }, json['pre_tokenizer']];
  return {
    ...files,
    tokenizer: JSON.stringify({ ...json, pre_tokenizer: { type: 'Sequence', pretokenizers: parts } }),
  };
};
const problemOf = (tried: TokenizerFiles, limits = { seconds: 4, megabytes: 256 }) =>
  tryTokenizer(tried, {}, cache, limits).then(
    () => 'none',
    (error: Error) => error.message,
  );

const loop = '{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}';
const doubling = `{% set n = namespace(t='a') %}{% for i in range(40) %}{% set n.t = n.t ~ n.t %}{% endfor %}{{ n.t }}`;

const growing: [string, TokenizerFiles, RegExp] = [
  'if a text grows without limit',
  templated(doubling),
  /takes more than|a list that is too long/,
];

describe('files that cannot be used end only a process of their own', () => {
  // Goes red without the limit of time (it never ends), and without the limit of memory (the runner dies).
  it('if they take too long, with the file and the time', async () => {
    const [looping, regex] = await Promise.all([problemOf(templated(loop)), problemOf(split('(a+)+$'))]);
    expect(looping).toMatch(
      /^chat_template\.jinja: to render conversations .* takes more than 4 seconds\. It was ended/,
    );
    expect(regex).toMatch(/^tokenizer\.json: to encode texts .* takes more than 4 seconds\. It was ended/);
  }, 300_000);

  it.runIf(inject('long'))('if the layout takes too long only with functions', async () => {
    const tool_use = `${files.chatTemplate}{% if tools %}${loop}{% endif %}`;
    expect(await problemOf({ ...files, additionalTemplates: { tool_use } })).toMatch(
      /^chat_template\.jinja or additional_chat_templates\/tool_use\.jinja: .* takes more than 4 seconds/,
    );
  });

  it.each<[string, TokenizerFiles, RegExp]>([
    [
      'if they take too much memory',
      templated('{% set all = range(99999999) %}'),
      /takes more than|a list that is too long/,
    ],
    ...(inject('long') ? [growing] : []),
    ['if they nest too deeply', { ...files, tokenizer: `{"a":${'['.repeat(200_000)}` }, /^tokenizer\.json/],
    [
      'if a part has the wrong type',
      {
        ...files,
        tokenizer: JSON.stringify({ ...json, post_processor: { type: 'TemplateProcessing', single: [null] } }),
      },
      /^tokenizer\.json.*post_processor\.single must be a list of parts, not \[null\]/,
    ],
    ['if a regular expression is none', split('(a'), /^tokenizer\.json cannot be used: /],
  ])('%s', async (_, tried, problem) => {
    expect(await problemOf(tried)).toMatch(problem);
  });

  it('before they are read, if a tokenizer.json is too long', async () => {
    expect(await problemOf({ ...files, tokenizer: ' '.repeat(200e6 + 1) })).toMatch(
      /^tokenizer\.json has 200 million characters/,
    );
  });
});

describe('a trial', () => {
  // Goes red if every opening starts a process.
  it('is made once for the same files, in any process', async () => {
    const own = { ...files, chatTemplate: `{# mine #}${files.chatTemplate}` };
    expect(await tryTokenizer(own, {}, cache)).toBe(true);
    expect(await tryTokenizer(own, {}, undefined)).toBe(false);
    expect(readdirSync(join(cache, 'tried-tokenizers'))).toHaveLength(1);
    await expect(tryTokenizer(own, { thinking: 'keep' }, cache)).rejects.toThrow(/thinking "keep" has no effect/);
    const encoder = await openTriedEncoder(own, {}, cache);
    expect(encoder.decode(encoder.encodeAction('go'))).toBe('go');
  });

  it('is not made of a tokenizer from scratch, which is known by its content', async () => {
    for (const train of [trainWordTokenizer, trainByteLevelTokenizer]) {
      const scratch = await train(['take the key', 'go north'], { vocabularySize: 300 });
      expect(await tryTokenizer(scratch, {}, undefined)).toBe(false);
      const changed = JSON.parse(scratch.tokenizer) as { [part: string]: object };
      const foreign = `${JSON.stringify({ ...changed, normalizer: { type: 'NFC' } }, undefined, 2)}\n`;
      expect(await tryTokenizer({ ...scratch, tokenizer: foreign }, {}, undefined)).toBe(true);
    }
  });
});
