import { describe, expect, it } from 'vitest';

import type { GeneratedTokens, GenerateRequest, Sampling } from '../../contracts/policy.js';
import { createRandom } from '../../random/create-random.js';
import { EpisodeTokens, type History } from '../../rollout/episode-tokens.js';
import { TabularPolicy } from '../../testing/tabular-policy.js';
import { PolicyEndpoint } from './policy-endpoint.js';
import { RequestReader } from './request-reader.js';
import { servedPrompt } from './served-prompt.js';

const words = [
  'You are a guide.',
  'a door',
  'a wall',
  'a gate',
  'open it',
  'walk round',
  'New game.',
  '[2 turns are not shown.]',
];
const kept = {
  system: 'You are a guide.',
  games: [{ task: 't', observations: ['a wall', ''], texts: ['walk round'], calls: [] }],
};

class Recording extends TabularPolicy {
  readonly requests: GenerateRequest[] = [];
  override generate(requests: readonly GenerateRequest[], sampling: Sampling): Promise<GeneratedTokens[]> {
    this.requests.push(...requests.map((request) => ({ ...request, tokens: [...request.tokens] })));
    return super.generate(requests, sampling);
  }
}

/** Talks over the server, as clients do: with the whole conversation as text. */
async function talk(history: History, observations: readonly string[], maxTokens = 200) {
  const model = new Recording({ texts: words, deviation: 1, seed: 4 });
  const options = {
    model,
    name: 'guide',
    maxActionTokens: 3,
    maxTokens,
    random: createRandom(1),
    prompt: servedPrompt(kept),
    history,
  };
  const endpoint = new PolicyEndpoint(options);
  const reader = new RequestReader({ endpoints: () => [endpoint] });
  const messages: object[] = [];
  const answers: (readonly number[])[] = [];
  for (const content of observations) {
    messages.push({ role: 'user', content });
    const body = new Uint8Array(Buffer.from(JSON.stringify({ messages, seed: 3 })));
    const { choices } = await endpoint.chat(await reader.read('chat', body, 'me'), {
      client: 'me',
      signal: new AbortController().signal,
    });
    messages.push({ role: 'assistant', content: choices[0]!.text });
    answers.push(choices[0]!.tokens);
  }
  return { model, answers };
}

describe.each(['full', { turns: 1 }, { tokens: 48 }] as const)('a server with the history %j', (history) => {
  // Goes red when the server reads another window than episodes do, or continues a sequence that it left.
  it('reads what the policy read in training, by the ids that it sampled', async () => {
    const observations = ['a door', 'a wall', 'a gate', 'a wall', 'a door', 'a gate'];
    const { answers, model } = await talk(history, observations);
    const opening = {
      system: kept.system,
      observation: observations[0]!,
      examples: servedPrompt(kept).examples,
      history,
    };
    const episode = new EpisodeTokens(model.encoder, opening);
    const places: number[] = [];
    const prompts = observations.map((text, turn) => {
      if (turn > 0) episode.addObservation(text, { actionTokens: 3, maxTokens: 200 });
      const prompt = [...episode.tokens];
      places.push(episode.place);
      const ended = answers[turn]!.at(-1) === model.encoder.endIds[0];
      episode.addAction(answers[turn]!, [], ended);
      return prompt;
    });
    const asked = prompts.map((prompt) => model.requests.find(({ tokens }) => tokens.join() === prompt.join()));
    expect(asked).not.toContain(undefined);
    const names = asked.map((request) => request!.sequence);
    for (const [turn, name] of names.entries()) {
      if (turn > 0) expect(name === names[turn - 1]).toBe(places[turn] === places[turn - 1]);
    }
    expect(new Set(places).size > 1).toBe(history !== 'full');
  });
});

it('a server with a window refuses only what does not fit into it', async () => {
  const long = Array.from({ length: 30 }, () => 'a wall');
  await expect(talk('full', long, 60)).rejects.toThrow('maximum context length is 60 tokens');
  expect((await talk({ tokens: 48 }, long, 60)).answers).toHaveLength(30);
  await expect(
    talk({ tokens: 48 }, ['a door', Array.from({ length: 30 }, () => 'wall').join(' ')], 60),
  ).rejects.toThrow('maximum context length is 48 tokens');
});
