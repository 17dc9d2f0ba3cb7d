import { describe, expect, it } from 'vitest';

import { lossInputs, lossOperations } from '../credit/loss-operations.js';
import { buildBatch } from '../rollout/build-batch.js';
import { layOutDemonstration, numberedRows } from '../rollout/demonstration.js';
import { TabularPolicy } from '../testing/tabular-policy.js';
import { measureImitation } from './measure-imitation.js';

const model = new TabularPolicy({ texts: ['left right up down', 'here there'], contextLength: 2, seed: 3 });
const demonstrations = [
  { name: 'a', system: '', observations: ['here', 'there'], texts: ['left', 'right up'] },
  { name: 'b', system: '', observations: ['there'], texts: ['down'] },
];
const rows = demonstrations.map((one) => layOutDemonstration(one, model.encoder, { maxTokens: 100, actionTokens: 1 })!);
const { signal } = new AbortController();

/** Measures one token at a time, with the model's greedy answers and the log probabilities of single rows. */
async function byHand(): Promise<{ loss: number; agreement: number }> {
  let [loss, tokens, agreed, turns] = [0, 0, 0, 0];
  for (const { record, turns: all } of numberedRows(rows)) {
    for (const {
      sampled: [start, end],
    } of all) {
      // prettier-ignore
      let same = true;
      for (let at = start; at < end; at += 1) {
        const ask = (temperature: number, draw: number) =>
          model.generate(
            [
              {
                tokens: record.tokens.slice(0, at),
                sequence: 'x',
                endIds: [],
                maxTokens: 1,
                draws: Float64Array.of(draw),
              },
            ],
            { temperature, topP: 1, topK: 0 },
          );
        const [greedy] = await ask(0, 1);
        same &&= greedy!.tokens[0] === record.tokens[at];
        // Any draw that gives the expert's token shows its log probability.
        for (let draw = 1; draw > 0; draw -= 0.002) {
          const [drawn] = await ask(1, draw);
          if (drawn!.tokens[0] !== record.tokens[at]) continue;
          loss -= drawn!.logprobs[0]!;
          tokens += 1;
          break;
        }
      }
      agreed += Number(same);
      turns += 1;
    }
  }
  return { loss: loss / tokens, agreement: agreed / turns };
}

describe('measureImitation', () => {
  // Goes red when observations are counted, when end tokens are not counted, or when a turn with a wrong end counts as
  // agreement.
  it('is the mean cross entropy of the tokens of the expert, and how often the likeliest answer is its own', async () => {
    const [found, expected] = [await measureImitation(model, rows, signal), await byHand()];
    expect(found.loss).toBeCloseTo(expected.loss, 10);
    expect(found.agreement).toBe(expected.agreement);
  });

  it('agrees with a policy that was taught these games, and loses nothing by it', async () => {
    const taught = new TabularPolicy({ texts: ['left right up down', 'here there'], contextLength: 4, seed: 3 });
    await taught.resetOptimizer({ name: 'adamw', options: {} });
    const loss = { terms: { cross_entropy: lossOperations.sub(lossOperations.constant(0), lossInputs.logprob) } };
    const batch = buildBatch(numberedRows(rows), 1);
    for (let step = 0; step < 300; step += 1) {
      await taught.forwardBackward({ ...batch, weight: Float64Array.from(batch.mask) }, loss);
      await taught.optimizerStep({ learningRate: 0.1 });
    }
    const { loss: left, agreement } = await measureImitation(taught, rows, signal);
    expect(agreement).toBe(1);
    expect(left).toBeLessThan(0.05);
  });
});
