import type { GeneratedTokens, GenerateRequest, Sampling } from '@agentgym/cli';
import { testHost } from '@agentgym/cli/testing';
import { describe, expect, it } from 'vitest';

import { createExecutor } from '../executors/create-executor.js';
import type { DecoderConfig } from '../model/decoder-config.js';
import { SessionDecodeRunner } from './decode-runner.js';
import { grouped, randomParameters, small } from './fixtures/small-models.js';
import { slowLogits, slowLogprobs } from './fixtures/slow-decoder.js';
import { Generator, type GeneratorLimits } from './generator.js';

const limits: GeneratorLimits = { cacheBytes: 1e9, tokensPerRun: 2048, rowsPerRun: 256, scoresPerRun: 1e7 };
const plain: Sampling = { temperature: 1, topP: 1, topK: 0 };

async function setUp(config: DecoderConfig, changes: Partial<GeneratorLimits> = {}) {
  const { random } = testHost(1);
  const parameters = randomParameters(config, () => random.uniform());
  const executor = await createExecutor({ threads: 1, log: () => undefined });
  const runner = new SessionDecodeRunner(executor, config);
  await runner.useWeights(parameters);
  const generator = () => new Generator(config, runner, { ...limits, ...changes });
  return { parameters, generator };
}

/** Prompts and caps of many lengths; end tokens that do come up. */
function requests(config: DecoderConfig, count: number, turn = 0, before?: readonly number[][]): GenerateRequest[] {
  const random = testHost(7).random;
  return Array.from({ length: count }, (_, index) => {
    const own = random.stream('request', index, turn);
    const length = own.integer(1, 30);
    const fresh = Array.from({ length }, () => own.integer(0, config.vocabularySize));
    const maxTokens = own.integer(1, 20);
    return {
      tokens: [...(before?.[index] ?? []), ...fresh],
      sequence: `episode ${index}`,
      endIds: [3, 5, 8],
      maxTokens,
      draws: Float64Array.from({ length: maxTokens }, () => 1 - own.uniform()),
    };
  });
}

describe.each([
  ['hidden 64', small],
  ['hidden 128', grouped],
])('generation, %s', (_, config) => {
  it('samples what the draws say, with the log probabilities of a slow reference', async () => {
    const { parameters, generator } = await setUp(config);
    for (const temperature of [1, 0.7, 0]) {
      const asked = requests(config, 3);
      const answers = await generator().generate(asked, { ...plain, temperature });
      answers.forEach((answer, row) => {
        const { tokens, draws, endIds, maxTokens } = asked[row]!;
        const logits = slowLogits(config, parameters, [...tokens, ...answer.tokens]);
        answer.tokens.forEach((token, index) => {
          const at = logits[tokens.length - 1 + index]!;
          const logprobs = slowLogprobs(at, temperature || 1);
          expect(answer.logprobs[index]).toBeCloseTo(logprobs[token]!, 4);
          if (temperature === 0) expect(token).toBe(at.indexOf(Math.max(...at)));
          else {
            const below = logprobs.slice(0, token).reduce((sum, logprob) => sum + Math.exp(logprob), 0);
            expect(draws[index]).toBeGreaterThan(below - 1e-5);
            expect(draws[index]).toBeLessThan(below + Math.exp(logprobs[token]!) + 1e-5);
          }
          expect(answer.tokens.length).toBeLessThanOrEqual(maxTokens);
          expect(endIds.includes(token)).toBe(answer.ended && index === answer.tokens.length - 1);
        });
        if (!answer.ended) expect(answer.tokens.length).toBe(maxTokens);
      });
    }
  });

  // Goes red where the padded row of a lone sequence is left out, where capacity is no multiple of 16, or where pieces of one and of many tokens share a run.
  it('gives an episode the same bits alone, in any batch, order, capacity and cache size, over turns', async () => {
    const { generator } = await setUp(config);
    const turns = async (run: (asked: GenerateRequest[]) => Promise<GeneratedTokens[]>) => {
      const all: GeneratedTokens[][] = [];
      let sequences: number[][] | undefined;
      for (let turn = 0; turn < 3; turn += 1) {
        const asked = requests(config, 12, turn, sequences);
        const answers = await run(asked);
        sequences = asked.map(({ tokens }, row) => [...tokens, ...answers[row]!.tokens]);
        all.push(answers);
      }
      return all;
    };
    const together = generator();
    const expected = await turns((asked) => together.generate(asked, plain));
    const alone = generator();
    const variants: { [name: string]: () => Promise<GeneratedTokens[][]> } = {
      alone: () =>
        turns(async (asked) => {
          const answers: GeneratedTokens[] = [];
          for (const request of asked) answers.push(...(await alone.generate([request], plain)));
          return answers;
        }),
    };
    const backwards = generator();
    variants.backwards = () =>
      turns(async (asked) => (await backwards.generate(asked.toReversed(), plain)).toReversed());
    const crowded = generator();
    const long = Array.from({ length: 200 }, (_, index) => index % config.vocabularySize);
    variants.crowded = () =>
      turns(async (asked) => {
        const noise = {
          tokens: long,
          sequence: 'long',
          endIds: [],
          maxTokens: 40,
          draws: new Float64Array(40).fill(0.3),
        };
        return (await crowded.generate([noise, ...asked, { ...noise, sequence: 'other' }], plain)).slice(1, -1);
      });
    for (const [name, limited] of Object.entries({
      'small runs': { tokensPerRun: 50, rowsPerRun: 3 },
      'small cache': { cacheBytes: 9 * 64 * config.layers * config.keyValueHeads * config.headWidth * 8 },
    })) {
      const { generator: build } = await setUp(config, limited);
      const narrow = build();
      variants[name] = () => turns((asked) => narrow.generate(asked, plain));
    }
    for (const [name, answers] of Object.entries(variants)) expect(await answers(), name).toEqual(expected);
  });

  // Goes red for hidden 128 (sums of 384 products) where `#binding` answers 'later' for models with longer sums than 128.
  it('gives the same bits before and after a session has bound its weights', async () => {
    const { generator } = await setUp(config);
    const [first] = requests(config, 1) as [GenerateRequest];
    const request = { ...first, endIds: [], maxTokens: 200, draws: new Float64Array(200).fill(0.4) };
    const [before] = await generator().generate([request], plain);
    const [after] = await generator().generate([request], plain);
    expect(after).toEqual(before);
  });

  it('computes a shared prompt once, with the bits of one that is not shared', async () => {
    const { generator } = await setUp(config);
    const [first] = requests(config, 1) as [GenerateRequest];
    const prompt = Array.from({ length: 14 }, (_, index) => (index * 11) % config.vocabularySize);
    const group = Array.from({ length: 6 }, (_, index) => ({
      ...first,
      tokens: prompt,
      sequence: `member ${index}`,
      maxTokens: 4,
      draws: Float64Array.of(0.1 + index / 7, 0.5, 0.2, 0.9),
    }));
    const shared = await generator().generate(group, plain);
    const apart = await Promise.all(group.map(async (request) => (await generator().generate([request], plain))[0]));
    expect(shared).toEqual(apart);
  });
});
