import { describe, expect, it } from 'vitest';

import { aggregationWeights } from '../credit/aggregation-weights.js';
import { goldenNames, loadGolden } from '../credit/fixtures/golden-batch.js';
import { lossInputs as inputs } from '../credit/loss-operations.js';
import { selectRows } from '../rollout/select-rows.js';
import { TabularEncoder } from './tabular-encoder.js';
import { TabularPolicy } from './tabular-policy.js';

describe.each(goldenNames)('TabularPolicy with the recorded logits of `%s`', (name) => {
  const { batch: recordedBatch, live, recorded } = loadGolden(name);
  const batch = { ...recordedBatch, weight: aggregationWeights(recordedBatch, 'token-mean') };
  const encoder = new TabularEncoder('word', ['a', 'b', 'c', 'd', 'e', 'f']);

  it('has the recorded log probabilities, entropies, and gradient of the mean entropy by the logits', async () => {
    let squares = 0;
    let entropy = 0;
    for (let row = 0; row < batch.rows; row += 1) {
      const policy = new TabularPolicy({ encoder });
      const tokens = recorded.batch.tokens[row]!;
      tokens.forEach((_, t) => policy.setLogits(tokens.slice(0, t), recorded.batch.logits[row]![t]!));
      // Each row is a separate batch: prefixes of different rows may be equal, but their recorded logits differ.
      const alone = selectRows(batch, [row], batch.width);
      const result = await policy.forwardBackward(alone, { terms: { entropy: inputs.entropy } });
      entropy += result.terms['entropy']!;
      tokens.forEach((_, t) => {
        const index = row * batch.width + t;
        const sampled = batch.mask[index] === 1;
        expect(result.logprobs[t]).toBeCloseTo(sampled ? live.logprob[index]! : 0, 5);
        expect(result.entropy?.[t]).toBeCloseTo(recorded.entropy.reference.per_token[row]![t]!, 6);
        squares += policy.accumulatedGradient(tokens.slice(0, t)).reduce((sum, g) => sum + g * g, 0);
      });
    }
    expect(entropy).toBeCloseTo(recorded.entropy.reference['token-mean'], 6);
    expect(Math.sqrt(squares)).toBeCloseTo(recorded.entropy.verl.gradient_logits_norm, 6);
  });
});
