import type { TrainingBatch } from '../../contracts/batch.js';
import type { GeneratedTokens, GenerateRequest, SamplerPromises } from '../../contracts/policy.js';
import { emptyBatch } from '../../credit/batch-columns.js';
import { uniformDraws } from '../../rollout/uniform-draws.js';
import {
  distance,
  makeRequests,
  plainSampling,
  playBatch,
  type PolicyCheck,
  type PolicyCheckContext,
} from './policy-context.js';

/** The same request with a new sequence name. */
const renamed = (context: PolicyCheckContext, request: GenerateRequest): GenerateRequest => ({
  ...request,
  sequence: context.newSequence(),
});

/** The difference between two answers to one request; undefined if they agree. */
function difference(one: GeneratedTokens | undefined, other: GeneratedTokens | undefined): string | undefined {
  if (one === undefined || other === undefined) return 'an answer is missing';
  if (one.tokens.join() !== other.tokens.join())
    return `tokens ${one.tokens.join(' ')} versus ${other.tokens.join(' ')}`;
  const apart = distance(one.logprobs, other.logprobs);
  return apart <= 1e-6 ? undefined : `log probabilities differ by ${apart}`;
}

/** A batch of the prompts, each followed by one sampled token. */
function batchOfOneToken(requests: readonly GenerateRequest[], tokens: readonly number[]): TrainingBatch {
  const rows = requests.length;
  const width = Math.max(...requests.map((request) => request.tokens.length)) + 1;
  const batch = emptyBatch({ rows, width, temperature: 1 });
  for (const [row, request] of requests.entries()) {
    const at = row * width + request.tokens.length;
    batch.tokens.set([...request.tokens, tokens[row] as number], row * width);
    batch.length[row] = request.tokens.length + 1;
    batch.mask[at] = 1;
    batch.turn[at] = 0;
  }
  return batch;
}

/** Log probability of the sampled token of each row. */
const sampledLogprobs = (batch: TrainingBatch, logprobs: Float64Array): number[] =>
  [...logprobs].filter((_, index) => batch.mask[index] === 1);

/** The reason to skip a check if the sampler does not make these promises; undefined if it makes them. */
const unpromised =
  (...promises: readonly (keyof SamplerPromises)[]) =>
  ({ model }: PolicyCheckContext): string | undefined => {
    const missing = promises.find((promise) => !model.capabilities.sampler[promise]);
    return missing === undefined ? undefined : `its sampler does not promise \`${missing}\``;
  };

export const generationChecks: readonly PolicyCheck[] = [
  {
    id: 'answers',
    title:
      'an answer has one log probability for each token, at most maxTokens tokens, and an end token only at its end',
    severity: 'error',
    likelyCause: 'the end token is dropped, or sampling continues after it',
    why: 'Training uses the sampled tokens. A missing end token or log probability shifts all later tokens.',
    cure: 'Return every sampled id with its log probability, and the end token as the last one.',
    run: async (context) => {
      const requests = makeRequests(context, 6);
      const answers = await context.model.generate(requests, plainSampling);
      if (answers.length !== requests.length) return [`${requests.length} requests, ${answers.length} answers`];
      return answers.flatMap(({ tokens, logprobs, ended }, index) => {
        const { endIds, maxTokens } = requests[index] as GenerateRequest;
        const end = tokens.findIndex((token) => endIds.includes(token));
        if (logprobs.length !== tokens.length) return [`${tokens.length} tokens, ${logprobs.length} log probabilities`];
        if (!logprobs.every((logprob) => logprob <= 0 && Number.isFinite(logprob)))
          return [`logprobs ${logprobs.join(' ')}`];
        if (ended ? end !== tokens.length - 1 || end === -1 : end !== -1 || tokens.length !== maxTokens) {
          return [
            `${ended ? 'ended' : 'not ended'} with ${tokens.length} of ${maxTokens} tokens, an end token at ${end}`,
          ];
        }
        return [];
      });
    },
  },
  {
    id: 'end-ids',
    title: 'the ids in `endIds` of the request end the answer, whatever they are',
    severity: 'error',
    likelyCause: "the tokenizer's own end token is used instead of the request's endIds",
    why: 'The action format decides which ids end an action.',
    cure: "Stop only at the request's endIds.",
    run: async (context) => {
      const requests = makeRequests(context, 3);
      // Temperature 0 samples the most likely token again, with or without draws.
      const sampling = { ...plainSampling, temperature: 0 };
      const answers = await context.model.generate(requests, sampling);
      const first = answers.map(({ tokens }) => tokens[0] as number);
      const again = requests.map((request, index) => ({
        ...renamed(context, request),
        endIds: [first[index] as number],
      }));
      const stopped = await context.model.generate(again, sampling);
      return stopped.flatMap(({ tokens, ended }, index) =>
        ended && tokens.length === 1 ? [] : [`endIds [${first[index]}] did not end ${tokens.join(' ')}`],
      );
    },
  },
  {
    id: 'mixed',
    title: 'requests of one call that are sampled in different ways have the answers of calls of their own',
    severity: 'error',
    likelyCause: 'all requests are sampled in the way of the call, or of the first request',
    why: 'A server answers many clients with one call, and each has its own temperature.',
    cure: 'Sample each request with its own `sampling`, if it has one; or do not promise `mixed`.',
    idle: unpromised('mixed', 'independent', 'draws'),
    run: async (context) => {
      const ways = [
        { ...plainSampling, temperature: 0 },
        { ...plainSampling, temperature: 3 },
        { ...plainSampling, topK: 2 },
        { ...plainSampling, topP: 0.5 },
      ];
      const requests = makeRequests(context, ways.length + 1);
      const mixed = requests.map((request, index) => ({ ...request, ...(ways[index] && { sampling: ways[index] }) }));
      const answers = await context.model.generate(mixed, plainSampling);
      const found: string[] = [];
      for (const [index, request] of requests.entries()) {
        const [alone] = await context.model.generate([renamed(context, request)], ways[index] ?? plainSampling);
        const apart = difference(answers[index], alone);
        if (apart !== undefined) found.push(`${JSON.stringify(ways[index] ?? plainSampling)}: ${apart}`);
      }
      return found;
    },
  },
  {
    id: 'draws-decide',
    title:
      'draws are the only source of randomness: equal draws give equal answers, and different draws different answers',
    severity: 'error',
    likelyCause: 'tokens are drawn from a generator of the model, or the draws are ignored',
    why: 'A resumed run samples the same tokens only if the request contains all randomness.',
    cure: 'Use the draws of the request, one for each token, and no other generator; or do not promise `draws`.',
    idle: unpromised('draws'),
    run: async (context) => {
      const [request] = makeRequests(context, 1) as [GenerateRequest];
      const ask = (draws: readonly Float64Array[]): Promise<GeneratedTokens[]> =>
        context.model.generate(
          draws.map((numbers) => ({ ...renamed(context, request), draws: numbers })),
          plainSampling,
        );
      const [first, second] = [await ask([request.draws]), await ask([request.draws])];
      const found = difference(first[0], second[0]);
      if (found !== undefined) return [`the same draws: ${found}`];
      const others = Array.from({ length: 24 }, (_, i) =>
        uniformDraws(context.random.stream('others', i), request.maxTokens),
      );
      const answers = new Set((await ask(others)).map(({ tokens }) => tokens.join()));
      return answers.size > 1 ? [] : ['24 different draws gave one answer'];
    },
  },
  {
    id: 'batch-independent',
    title: 'an answer does not depend on other requests in the call, their order, or earlier and released requests',
    severity: 'error',
    likelyCause:
      'attention reads padding, positions count padding, draws are taken in the order of the batch, or sums depend on its size',
    why: 'Which episodes share a call depends on timing. Results would depend on it.',
    cure: 'Mask padding in attention and positions, and use the draws of the request; or do not promise `independent`.',
    // Without `draws`, two answers cannot be compared.
    idle: unpromised('independent', 'draws'),
    run: async (context) => {
      const { model } = context;
      const requests = makeRequests(context, 9);
      const ask = (asked: readonly GenerateRequest[]): Promise<GeneratedTokens[]> =>
        model.generate(
          asked.map((request) => renamed(context, request)),
          plainSampling,
        );
      const others = requests.slice(0, 5).map((request) => ({ ...request, tokens: request.tokens.toReversed() }));
      const inCallsOf = async (size: number, between: readonly GenerateRequest[] = []): Promise<GeneratedTokens[]> => {
        const answers: GeneratedTokens[] = [];
        for (let from = 0; from < requests.length; from += size) {
          if (between.length > 0) await ask(between);
          answers.push(...(await ask(requests.slice(from, from + size))));
        }
        return answers;
      };
      const together = await model.generate(requests, plainSampling);
      model.release(requests.map(({ sequence }) => sequence));
      const ways = {
        'released and requested again': await model.generate(requests, plainSampling),
        'in a call of its own': await inCallsOf(1),
        'in calls of three': await inCallsOf(3),
        'in reverse order': (await ask(requests.toReversed())).toReversed(),
        'after other sequences': await inCallsOf(3, others),
      };
      model.release(requests.map(({ sequence }) => sequence));
      return Object.entries(ways).flatMap(([how, answers]) => {
        const found = requests.flatMap((_, index) => {
          const apart = difference(together[index], answers[index]);
          return apart === undefined ? [] : [`request ${index} of 9 ${how}: ${apart}`];
        });
        return found.slice(0, 2);
      });
    },
  },
  {
    id: 'overlapping-calls',
    title: 'calls of `generate` for other sequences may begin before one has answered, and change no answer',
    severity: 'error',
    likelyCause: 'a call writes into buffers, a cache or a list of sequences that a running call still uses',
    why: 'With this promise, one half of the episodes is answered while the other half plays.',
    cure: 'Queue the calls, or give each its own buffers; or do not promise `concurrent`.',
    idle: unpromised('concurrent', 'independent', 'draws'),
    run: async (context) => {
      const { model } = context;
      const requests = makeRequests(context, 9);
      const expected = await model.generate(requests, plainSampling);
      const asked = requests.map((request) => renamed(context, request));
      const parts = [asked.slice(0, 4), asked.slice(4, 5), asked.slice(5)];
      const overlapping = (await Promise.all(parts.map((part) => model.generate(part, plainSampling)))).flat();
      return requests.flatMap((_, index) => {
        const apart = difference(expected[index], overlapping[index]);
        return apart === undefined ? [] : [`request ${index} of 9 in overlapping calls: ${apart}`];
      });
    },
  },
  {
    id: 'sequence-reuse',
    title: 'a request that continues a known sequence gets the same answer as a new one',
    severity: 'error',
    likelyCause: 'the cache of a sequence is used although its tokens differ, or its positions are off by one',
    why: 'A wrong cache silently changes the sampled tokens.',
    cure: 'Compare the tokens of a known sequence before you reuse its cache.',
    idle: unpromised('independent', 'draws'),
    run: async (context) => {
      const { model } = context;
      const requests = makeRequests(context, 4);
      const answers = await model.generate(requests, plainSampling);
      const goOn = requests.map((request, index) => {
        const { tokens: sampled } = answers[index] as GeneratedTokens;
        const append = model.encoder.append(context.settings.observations[0] ?? '');
        // The last request is another conversation with a known sequence name.
        const before = index === 3 ? request.tokens.toReversed() : [...request.tokens, ...sampled];
        return { ...request, tokens: [...before, ...append] };
      });
      const known = await model.generate(goOn, plainSampling);
      const fresh = await model.generate(
        goOn.map((request) => renamed(context, request)),
        plainSampling,
      );
      model.release(requests.map(({ sequence }) => sequence));
      const released = await model.generate(goOn, plainSampling);
      return goOn.flatMap((_, index) => {
        const apart = difference(fresh[index], known[index]) ?? difference(fresh[index], released[index]);
        return apart === undefined ? [] : [`request ${index} with a known sequence name: ${apart}`];
      });
    },
  },
  {
    id: 'logprobs-agree',
    title: 'recorded log probabilities equal those of training, at temperatures 1 and 0.7 or the only one',
    severity: 'error',
    likelyCause:
      'logprobs(batch) is shifted by one, ignores batch.temperature, or sampling records those of a filtered distribution',
    why: 'Clipping and importance weights use the ratio of the two. It must start at 1.',
    cure: 'Compute log-softmax(logits / temperature) over the whole vocabulary in both places; or do not promise `exact`.',
    idle: unpromised('exact'),
    run: async (context) => {
      const found: string[] = [];
      const { temperature: only } = context.model.capabilities;
      for (const temperature of only === undefined ? [1, 0.7] : [only]) {
        const batch = await playBatch(context, temperature);
        const apart = distance(await context.model.logprobs(batch), batch.logprobs);
        if (!(apart <= context.settings.tolerance)) found.push(`at temperature ${temperature} they differ by ${apart}`);
      }
      return found;
    },
  },
  {
    id: 'temperature-zero',
    title:
      'at temperature 0 the most likely token is chosen for any draws, and its log probability at temperature 1 is recorded',
    severity: 'error',
    likelyCause: 'logits are divided by 0, or by a small number',
    why: 'Evaluation at temperature 0 must be the same each time.',
    cure: 'Choose the highest logit (the lowest id on a tie), and record its log probability at temperature 1.',
    run: async (context) => {
      const { model, settings, random } = context;
      const requests = makeRequests(context, 3, 1);
      const greedy = { ...plainSampling, temperature: 0 };
      const answers = await model.generate(requests, greedy);
      const others = requests.map((request, index) => ({
        ...renamed(context, request),
        draws: uniformDraws(random.stream('other', index), 1),
      }));
      const again = await model.generate(others, greedy);
      const taken = answers.map(({ tokens }) => tokens[0] as number);
      const batch = batchOfOneToken(requests, taken);
      const recorded = answers.map(({ logprobs }) => logprobs[0] as number);
      const apart = distance(sampledLogprobs(batch, await model.logprobs(batch)), recorded);
      const found = answers.flatMap((answer, index) => difference(answer, again[index]) ?? []);
      if (model.capabilities.sampler.exact && !(apart <= settings.tolerance))
        found.push(`log probabilities differ by ${apart} from those at temperature 1`);
      for (let rival = 0; rival < 8; rival += 1) {
        const sampled = await model.generate(
          requests.map((request, index) => ({
            ...renamed(context, request),
            draws: uniformDraws(random.stream('rival', rival, index), 1),
          })),
          plainSampling,
        );
        const better = sampled.findIndex(
          ({ logprobs }, index) => (logprobs[0] as number) > (recorded[index] as number) + settings.tolerance,
        );
        if (better !== -1)
          return [
            ...found,
            `token ${sampled[better]?.tokens[0]} is more likely than the chosen token ${taken[better]}`,
          ];
      }
      return found;
    },
  },
  {
    id: 'top-k-top-p',
    title:
      'top-k 1 and a small top-p choose the most likely token, and record its log probability over the whole vocabulary',
    severity: 'error',
    likelyCause: 'log probabilities are renormalised over the remaining tokens, or a filter is ignored',
    why: 'Importance corrections need the log probability over the whole vocabulary.',
    cure: 'Filter the tokens to draw from, and record log probabilities without the filter.',
    run: async (context) => {
      const requests = makeRequests(context, 4, 2);
      const ask = (sampling: object): Promise<GeneratedTokens[]> =>
        context.model.generate(
          requests.map((request) => renamed(context, request)),
          { ...plainSampling, ...sampling },
        );
      const greedy = await ask({ temperature: 0 });
      const found: string[] = [];
      for (const sampling of [{ topK: 1 }, { topP: 1e-6 }]) {
        const answers = await ask(sampling);
        answers.forEach((answer, index) => {
          const apart = difference(greedy[index], answer);
          if (apart !== undefined) found.push(`${JSON.stringify(sampling)}, request ${index}: ${apart}`);
        });
      }
      return found;
    },
  },
  {
    id: 'abort',
    title: 'an aborted signal ends generate() with a rejection',
    severity: 'error',
    likelyCause: 'generate() does not read the signal',
    why: 'Ctrl-C would wait for the whole batch.',
    cure: 'Check the signal before and between tokens, and reject with its reason.',
    run: async (context) => {
      const outcome = await context.model.generate(makeRequests(context, 1), plainSampling, AbortSignal.abort()).then(
        () => 'answers',
        () => 'rejects',
      );
      return outcome === 'rejects' ? [] : ['generate() answers although the signal was aborted'];
    },
  },
];
