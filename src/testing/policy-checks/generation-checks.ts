import type { TrainingBatch } from '../../contracts/batch.js';
import type { GeneratedTokens, GenerateRequest, SamplerPromises, Sampling } from '../../contracts/policy.js';
import { buildBatch } from '../../rollout/build-batch.js';
import { uniformDraws } from '../../rollout/uniform-draws.js';
import { firstFound, type Found } from '../findings.js';
import {
  distance,
  tolerance,
  makeRequests,
  plainSampling,
  playBatch,
  type PolicyCheck,
  type PolicyCheckContext,
} from './policy-context.js';

type Ask = (asked: readonly GenerateRequest[], changes?: Partial<Sampling>) => Promise<GeneratedTokens[]>;

/** Asks with new sequence names, so that nothing is known of the requests. */
const askAnew =
  (context: PolicyCheckContext): Ask =>
  (asked, changes) =>
    context.model.generate(
      asked.map((request) => ({ ...request, sequence: context.newSequence() })),
      { ...plainSampling, ...changes },
    );

/** The difference between two answers to one request; undefined if they agree. */
function difference(one: GeneratedTokens | undefined, other: GeneratedTokens | undefined): string | undefined {
  if (one === undefined || other === undefined) return 'an answer is missing';
  if (one.tokens.join() !== other.tokens.join())
    return `tokens ${one.tokens.join(' ')} versus ${other.tokens.join(' ')}`;
  const apart = distance(one.logprobs, other.logprobs);
  return apart <= 1e-6 ? undefined : `log probabilities differ by ${apart}`;
}

/** The first answer that is another than expected, in words. */
function otherAnswer(
  expected: readonly GeneratedTokens[],
  answers: readonly GeneratedTokens[],
  how: string,
): string | undefined {
  for (const [index, answer] of expected.entries()) {
    const apart = difference(answer, answers[index]);
    if (apart !== undefined) return `request ${index} of ${expected.length} ${how}: ${apart}`;
  }
  return undefined;
}

/** A batch of the prompts, each followed by the first token of its answer. */
const firstTokens = (requests: readonly GenerateRequest[], answers: readonly GeneratedTokens[]): TrainingBatch =>
  buildBatch(
    requests.map(({ tokens }, group) => {
      const before = tokens.map(() => 0 as const);
      const [token = 0, logprob = 0] = [answers[group]?.tokens[0], answers[group]?.logprobs[0]];
      const record = { tokens: [...tokens, token], mask: [...before, 1 as const], logprobs: [...before, logprob] };
      const turns = [{ sampled: [tokens.length, tokens.length + 1] as const, reward: 0 }];
      return { record, turns, group, truncated: false };
    }),
    1,
  );

/** What is wrong with an answer. */
function badAnswer({ tokens, logprobs, ended }: GeneratedTokens, { endIds, maxTokens }: GenerateRequest) {
  const end = tokens.findIndex((token) => endIds.includes(token));
  if (logprobs.length !== tokens.length) return `${tokens.length} tokens, ${logprobs.length} log probabilities`;
  if (!logprobs.every((logprob) => logprob <= 0 && Number.isFinite(logprob))) return `logprobs ${logprobs.join(' ')}`;
  if (ended ? end !== -1 && end === tokens.length - 1 : end === -1 && tokens.length === maxTokens) return undefined;
  return `${ended ? 'ended' : 'not ended'} with ${tokens.length} of ${maxTokens} tokens, an end token at ${end}`;
}

/** The reason to skip a check if the sampler does not make these promises; undefined if it makes them. */
const unpromised =
  (...promises: readonly (keyof SamplerPromises)[]) =>
  ({ model }: PolicyCheckContext): string | undefined => {
    const missing = promises.find((promise) => !model.capabilities.sampler[promise]);
    return missing === undefined ? undefined : `its sampler does not promise \`${missing}\``;
  };

/** Asks again in ways that must change no answer. */
async function askInOtherWays(context: PolicyCheckContext): Promise<Found> {
  const { model } = context;
  const { concurrent, mixed } = model.capabilities.sampler;
  const ask = askAnew(context);
  const requests = makeRequests(context, 9);
  const strangers = requests.slice(0, 5).map((request) => ({ ...request, tokens: request.tokens.toReversed() }));
  const inCallsOf = async (size: number, between: readonly GenerateRequest[] = []): Promise<GeneratedTokens[]> => {
    const answers: GeneratedTokens[] = [];
    for (let from = 0; from < requests.length; from += size) {
      if (between.length > 0) await ask(between);
      answers.push(...(await ask(requests.slice(from, from + size))));
    }
    return answers;
  };
  const together = await model.generate(requests, plainSampling);
  const release = () => model.release(requests.map(({ sequence }) => sequence));
  release();
  const ways = {
    'released and requested again': await model.generate(requests, plainSampling),
    'in a call of its own': await inCallsOf(1),
    'in calls of three': await inCallsOf(3),
    'in reverse order': (await ask(requests.toReversed())).toReversed(),
    'after other sequences': await inCallsOf(3, strangers),
    ...(concurrent === true && {
      'in overlapping calls': (
        await Promise.all([requests.slice(0, 4), requests.slice(4, 5), requests.slice(5)].map((part) => ask(part)))
      ).flat(),
    }),
  };
  const found = Object.entries(ways).map(([how, answers]) => otherAnswer(together, answers, how));
  const goOn = requests.slice(0, 4).map((request, index) => {
    // The last request is another conversation with a known sequence name.
    const before = index === 3 ? request.tokens.toReversed() : [...request.tokens, ...together[index]!.tokens];
    return { ...request, tokens: [...before, ...model.encoder.append(context.observations[0] ?? '')] };
  });
  const known = await model.generate(goOn, plainSampling);
  const fresh = await ask(goOn);
  release();
  found.push(otherAnswer(fresh, known, 'that continues a known sequence'));
  found.push(otherAnswer(fresh, await model.generate(goOn, plainSampling), 'that continues a released sequence'));
  if (mixed === true) {
    const samplings = [{ temperature: 0 }, { temperature: 3 }, { topK: 2 }, { topP: 0.5 }, undefined];
    const some = samplings.map((sampling, index) => {
      return { ...requests[index]!, ...(sampling && { sampling: { ...plainSampling, ...sampling } }) };
    });
    const alone: GeneratedTokens[] = [];
    for (const [index, sampling] of samplings.entries()) alone.push(...(await ask([requests[index]!], sampling)));
    found.push(otherAnswer(alone, await ask(some), 'sampled in its own way'));
  }
  return found;
}

export const generationChecks: readonly PolicyCheck[] = [
  {
    id: 'answers',
    title:
      "an answer has one log probability for each token, at most maxTokens tokens, and an id of the request's `endIds` only at its end",
    cure: 'Return every sampled id with its log probability, and the end token as the last one. Stop only at the endIds of the request.',
    run: async (context) => {
      const ask = askAnew(context);
      const requests = makeRequests(context, 6);
      const answers = await ask(requests);
      if (answers.length !== requests.length) return `${requests.length} requests, ${answers.length} answers`;
      const found = answers.map((answer, index) => badAnswer(answer, requests[index]!));
      // Temperature 0 samples the most likely token again, with or without draws.
      const first = (await ask(requests, { temperature: 0 })).map(({ tokens }) => tokens[0] as number);
      const again = requests.map((request, index) => ({ ...request, endIds: [first[index]!] }));
      const stopped = (await ask(again, { temperature: 0 })).map(({ tokens, ended }, index) =>
        ended && tokens.length === 1 ? undefined : `endIds [${first[index]}] did not end ${tokens.join(' ')}`,
      );
      return [...found, ...stopped];
    },
  },
  {
    id: 'draws-decide',
    title:
      'draws are the only source of randomness: equal draws give equal answers, and different draws different answers',
    cure: 'Use the draws of the request, one for each token, and no other generator; or do not promise `draws`.',
    idle: unpromised('draws'),
    run: async (context) => {
      const ask = askAnew(context);
      const [request] = makeRequests(context, 1) as [GenerateRequest];
      const found = otherAnswer(await ask([request]), await ask([request]), 'with the same draws');
      if (found !== undefined) return found;
      const drawn = Array.from({ length: 24 }, (_, i) => {
        return { ...request, draws: uniformDraws(context.random.stream('others', i), request.maxTokens) };
      });
      const answers = new Set((await ask(drawn)).map(({ tokens }) => tokens.join()));
      return answers.size > 1 ? undefined : '24 different draws gave one answer';
    },
  },
  {
    id: 'batch-independent',
    title:
      'an answer depends only on its request: not on other requests, their order, overlapping calls, or what is known of its sequence',
    cure: 'Mask padding in attention and positions, use the draws and the sampling of the request, compare the tokens of a known sequence before its cache is used, and queue overlapping calls; or do not promise `independent`, `concurrent` or `mixed`.',
    // Without `draws`, two answers cannot be compared.
    idle: unpromised('independent', 'draws'),
    run: askInOtherWays,
  },
  {
    id: 'logprobs-agree',
    title: 'recorded log probabilities equal those of training, at temperatures 1 and 0.7 or the only one',
    cure: 'Compute log-softmax(logits / temperature) over the whole vocabulary in both places; or do not promise `exact`.',
    idle: unpromised('exact'),
    run: (context) => {
      const { temperature: only } = context.model.capabilities;
      return firstFound(only === undefined ? [1, 0.7] : [only], async (temperature) => {
        const batch = await playBatch(context, temperature);
        const apart = distance(await context.model.logprobs(batch), batch.logprobs);
        return apart <= tolerance ? undefined : `at temperature ${temperature} they differ by ${apart}`;
      });
    },
  },
  {
    id: 'temperature-zero',
    title:
      'temperature 0, top-k 1 and a small top-p choose the most likely token, and record its log probability over the whole vocabulary at temperature 1',
    cure: 'Choose the highest logit (the lowest id on a tie). Filter the tokens to draw from, and record log probabilities without the filter.',
    run: async (context) => {
      const { model, random } = context;
      const ask = askAnew(context);
      const requests = makeRequests(context, 4, 2);
      const redrawn = (name: string) =>
        requests.map((request, index) => ({ ...request, draws: uniformDraws(random.stream(name, index), 2) }));
      const greedy = await ask(requests, { temperature: 0 });
      const found = [otherAnswer(greedy, await ask(redrawn('other'), { temperature: 0 }), 'with other draws')];
      const { exact } = model.capabilities.sampler;
      for (const sampling of [{ topK: 1 }, { topP: 1e-6 }]) {
        const answers = await ask(requests, sampling);
        const told = exact ? answers : answers.map((one, index) => ({ ...one, logprobs: greedy[index]!.logprobs }));
        found.push(otherAnswer(greedy, told, `with ${JSON.stringify(sampling)}`));
      }
      const batch = firstTokens(requests, greedy);
      const apart = distance(await model.logprobs(batch), batch.logprobs);
      if (exact && !(apart <= tolerance))
        found.push(`log probabilities differ by ${apart} from those at temperature 1`);
      for (let rival = 0; rival < 8; rival += 1) {
        const sampled = await ask(redrawn(`rival ${rival}`));
        const better = sampled.findIndex(({ logprobs: [own = 0] }, index) => {
          const [chosen = 0] = greedy[index]?.logprobs ?? [];
          return own > chosen + tolerance;
        });
        if (better < 0) continue;
        const [token, chosen] = [sampled, greedy].map((answers) => answers[better]?.tokens[0]);
        return [...found, `token ${token} is more likely than the chosen token ${chosen}`];
      }
      return found;
    },
  },
  {
    id: 'abort',
    title: 'an aborted signal ends generate() with a rejection',
    cure: 'Check the signal before and between tokens, and reject with its reason.',
    run: (context) =>
      context.model.generate(makeRequests(context, 1), plainSampling, AbortSignal.abort()).then(
        () => 'generate() answers although the signal was aborted',
        () => undefined,
      ),
  },
];
