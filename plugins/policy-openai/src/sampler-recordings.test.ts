// Answers of a real vLLM server to what a sampler asks.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { GeneratedTokens, GenerateRequest } from '@agentgym/cli';
import { optionDefaults, testHost } from '@agentgym/cli/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type ChatServer, type Reply, startChatServer } from './fixtures/chat-server.js';
import { recording } from './fixtures/recording.js';
import { samplerOptions } from './sampler-options.js';
import { create } from './token-sampler.js';

const servers: ChatServer[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vllm-recordings-'));
  writeFileSync(join(folder, 'adapter_config.json'), '{}');
  writeFileSync(join(folder, 'adapter_model.safetensors'), '');
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  rmSync(folder, { recursive: true });
});

const sampling = { temperature: 1, topP: 1, topK: 0 };
const silent = new AbortController().signal;
const request: GenerateRequest = {
  ...{ tokens: [0, 3, 4, 5], sequence: 'one', endIds: [0], maxTokens: 4 },
  draws: Float64Array.of(0.1, 0.2, 0.3, 0.4),
};

/** The name of the model in an answer that was recorded under another name. */
function renamed(reply: Reply, model: unknown): Reply {
  const { body } = reply;
  return typeof body === 'object' && body !== null && 'model' in body ? { ...reply, body: { ...body, model } } : reply;
}

/** Connects, publishes and asks for tokens; each answer of the server is a recorded one. */
async function sample(replies: { readonly [call: string]: string }, changes: Partial<GenerateRequest> = {}) {
  const server = await startChatServer(({ body, path }) => {
    const call = path.slice('/v1/'.length);
    const isProbe = call === 'load_lora_adapter' && body['lora_name'] === undefined;
    const usual = {
      models: 'models',
      load_lora_adapter: 'load',
      unload_lora_adapter: 'unload',
      completions: 'completion',
    };
    const name = isProbe ? (replies['probe'] ?? 'load-nothing') : { ...usual, ...replies }[call];
    return renamed(recording(`vllm-sampler/${name ?? 'unknown-path'}`), body['model']);
  });
  servers.push(server);
  const options = { ...optionDefaults(samplerOptions), retries: 0 };
  const sampler = create(options, testHost(), { address: server.url, sampling });
  const run = async (): Promise<GeneratedTokens | undefined> => {
    await sampler.connect(silent);
    await sampler.publish({ folder, base: { name: 'base' } }, silent);
    const [answer] = await sampler.generate([{ ...request, ...changes }], sampling, silent);
    await sampler.dispose?.();
    return answer;
  };
  const outcome = await run().catch((error: unknown) => error as Error & { readonly code?: string });
  return { outcome, calls: server.asked.map(({ path }) => path.slice('/v1/'.length)) };
}

/** What the answer to a call means, in words that a user reads. */
const errors: { readonly [recording: string]: readonly [call: string, words: RegExp] } = {
  'completion-without-ids': ['completions', /returned no token ids.*vLLM and `agentgym serve` do/],
  'cap-above-context': ['completions', /400: max_tokens=100000 cannot be greater than max_model_len=512/],
  'context-full': ['completions', /an episode is too long for it\. Start it with a larger `--max-model-len`/],
  'unknown-model': ['completions', /404: The model `agentgym-0000000000000000` does not exist/],
  'wrong-key': ['models', /401: Unauthorized\. The key is read from OPENAI_API_KEY/],
  'unknown-path': ['probe', /takes no adapters\. Start vLLM with `--enable-lora`.*VLLM_ALLOW_RUNTIME_LORA_UPDATING/],
  'load-unseen': ['load_lora_adapter', /does not see the folder .*policy\.sampler\.folder.*serverFolder/],
  'load-large-rank': ['load_lora_adapter', /LoRA rank 64 is greater than max_lora_rank 16.*`--max-lora-rank`/],
  'load-dora': ['load_lora_adapter', /does not yet support DoRA/],
};

describe('recorded answers of vLLM', () => {
  it('are tokens with log probabilities, the end token among them', async () => {
    const { calls, outcome } = await sample({});
    expect(outcome).toEqual({
      tokens: [61, 0],
      logprobs: [-4.003269672393799, -0.057841747999191284],
      ended: true,
    });
    expect(calls).toEqual(['models', 'load_lora_adapter', 'load_lora_adapter', 'completions', 'unload_lora_adapter']);
  });

  it('are a cut action at the cap of the request', async () => {
    const { outcome } = await sample({ completions: 'completion-cut' }, { maxTokens: 1 });
    expect(outcome).toMatchObject({ tokens: [expect.any(Number)], ended: false });
  });

  it('say that an adapter is there already: it is unloaded and loaded again, but once', async () => {
    const { calls, outcome } = await sample({ load_lora_adapter: 'load-twice' });
    expect(outcome).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('already been loaded') });
    expect(calls.slice(2)).toEqual(['load_lora_adapter', 'unload_lora_adapter', 'load_lora_adapter']);
  });

  it('say that an adapter is gone at the end, which nobody minds', async () => {
    const { outcome } = await sample({ unload_lora_adapter: 'unload-unknown' });
    expect(outcome).toMatchObject({ ended: true });
  });

  it.each(Object.entries(errors))('%s ends the run with the cure', async (name, [call, words]) => {
    const { outcome } = await sample({ [call]: name });
    expect(outcome).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(words) });
  });

  it('are all read by a test', () => {
    const files = readdirSync(new URL('fixtures/recordings/vllm-sampler', import.meta.url));
    const others = [
      'models',
      'completion',
      'completion-cut',
      'load',
      'load-nothing',
      'load-twice',
      'unload',
      'unload-unknown',
    ];
    const tested = [...Object.keys(errors), ...others].map((name) => `${name}.json`);
    expect(files.toSorted()).toEqual(tested.toSorted());
  });
});
