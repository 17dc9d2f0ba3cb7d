import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { EMBEDDING, HEAD } from '../model/parameters.js';
import { parseDecoderConfig } from './decoder-config-json.js';
import { sourceOf } from './safetensors.js';
import { matchHead } from './stored-head.js';

const config = parseDecoderConfig(
  JSON.parse(readFileSync(new URL('./fixtures/configs/qwen2.config.json', import.meta.url), 'utf8')),
);
const tied = { ...config, tiedHead: true };
const matrix = (numbers: readonly number[], shape = [numbers.length / 2, 2]) =>
  sourceOf('matrix', { shape, data: Float32Array.from(numbers) });
const weights = (head?: readonly number[], shape?: number[]) =>
  new Map([[EMBEDDING, matrix([1, 2, 3, 4])], ...(head ? [[HEAD, matrix(head, shape)] as const] : [])]);

describe('matchHead', () => {
  it('keeps a tied head that is not stored, or stored with the numbers of the embedding', async () => {
    for (const stored of [weights(), weights([1, 2, 3, 4])]) {
      expect(await matchHead(tied, stored)).toEqual({ config: tied, notices: [] });
    }
  });

  // Mutation: drop the stored head whenever config.json says that it is tied.
  it.each([
    ['a last number that differs', [1, 2, 3, 5], undefined],
    ['more rows', [1, 2, 3, 4, 5, 6], undefined],
    ['another shape', [1, 2, 3, 4], [4, 1]],
    ['a number that is none', [1, 2, 3, NaN], undefined],
  ])('does not tie a stored head with %s, and says so', async (_, head, shape) => {
    const matched = await matchHead(tied, weights(head, shape));
    expect(matched.config).toEqual({ ...tied, tiedHead: false });
    expect(matched.notices).toEqual([expect.stringContaining('the head is not tied') as string]);
  });

  it('keeps a head that is not tied, and refuses a folder without one', async () => {
    const untied = { ...config, tiedHead: false };
    expect(await matchHead(untied, weights([9, 9, 9, 9]))).toEqual({ config: untied, notices: [] });
    await expect(matchHead(untied, weights())).rejects.toThrow(
      'the folder lacks lm_head.weight, and config.json says tie_word_embeddings: false',
    );
  });
});
