import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createRandom } from '../../random/create-random.js';
import { TabularPolicy } from '../../testing/tabular-policy.js';
import { PolicyEndpoint } from './policy-endpoint.js';
import { type PolicyServer, servePolicy } from './serve-policy.js';
import { ServedAdapters } from './served-adapters.js';

const texts = ['a door', 'a wall', 'open it', 'walk round'];
const model = (seed: number) => new TabularPolicy({ texts, contextLength: 3, deviation: 1, seed });
const endpointOf = (name: string, policy: TabularPolicy) =>
  new PolicyEndpoint({ model: policy, name, maxActionTokens: 6, maxTokens: 200, random: createRandom(1) });

let folder: string;
let server: PolicyServer;
let adapters: ServedAdapters;
let disposed: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'agentgym-adapters-'));
  disposed = [];
  adapters = new ServedAdapters({
    folder: join(folder, 'weights'),
    open: async (name, own) => {
      const policy = model(0);
      await policy.load(own);
      return {
        endpoint: endpointOf(name, policy),
        dispose: () => {
          disposed.push(name);
          return policy.dispose();
        },
      };
    },
  });
  server = await servePolicy({ endpoint: endpointOf('base', model(1)), adapters, host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  await server.close(0);
  await adapters.dispose();
  rmSync(folder, { recursive: true });
});

async function write(path: string, seed: number): Promise<string> {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'adapter_config.json'), '{}');
  await model(seed).save(path);
  return path;
}

async function ask(path: string, body?: object) {
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${server.url}/${path}`, request);
  return { status: response.status, text: await response.text() };
}

const load = (name: string, path: string) => ask('load_lora_adapter', { lora_name: name, lora_path: path });
const unload = (name: string) => ask('unload_lora_adapter', { lora_name: name });

interface Completion {
  readonly model: string;
  readonly choices: readonly { readonly token_ids: readonly number[]; readonly finish_reason: string }[];
}

async function complete(name: string, changes: object = {}): Promise<Completion> {
  const { encoder } = model(1);
  const prompt = encoder.begin('', 'a door');
  const { text } = await ask('completions', { model: name, prompt, seed: 3, return_token_ids: true, ...changes });
  return JSON.parse(text) as Completion;
}

const idsOf = async (name: string, changes?: object) => (await complete(name, changes)).choices[0]!.token_ids;

describe('adapters that clients load', () => {
  it('are models of their own until they are unloaded', async () => {
    const path = await write(join(folder, 'weights', 'one'), 7);
    expect(await load('one', path)).toEqual({
      status: 200,
      text: "Success: LoRA adapter 'one' added successfully.",
    });
    const listed = JSON.parse((await ask('models')).text) as { readonly data: readonly { readonly id: string }[] };
    expect(listed.data.map(({ id }) => id)).toEqual(['base', 'one']);
    const [base, own] = [await complete('base'), await complete('one')];
    expect([base.model, own.model]).toEqual(['base', 'one']);
    expect(own.choices[0]!.token_ids).not.toEqual(base.choices[0]!.token_ids);
    expect((await load('one', path)).text).toContain("'one' has already been loaded");

    // Requests that are being answered end first.
    const [answer, gone] = await Promise.all([complete('one', { max_tokens: 90, ignore_eos: true }), unload('one')]);
    expect(answer.choices[0]!.token_ids).toHaveLength(90);
    expect(gone).toEqual({ status: 200, text: "Success: LoRA adapter 'one' removed successfully." });
    expect(disposed).toEqual(['one']);
    expect((await ask('completions', { model: 'one', prompt: [1] })).status).toBe(404);
    expect((await unload('one')).status).toBe(404);
    expect(await idsOf('base')).toEqual(base.choices[0]!.token_ids);
  });

  it('are only those below the folder, also behind links and relative paths', async () => {
    const outside = await write(join(folder, 'secret'), 7);
    await write(join(folder, 'weights', 'inner'), 7);
    symlinkSync(outside, join(folder, 'weights', 'link'));
    for (const path of [outside, '../secret', join(folder, 'weights', 'link'), join(folder, 'weights', 'none')]) {
      const answer = await load('one', path);
      expect(answer.status).toBe(404);
      expect(answer.text).toContain(`No adapter found for ${path}`);
    }
    expect((await load('one', 'inner')).status).toBe(200);
  });

  it('cannot take the name of the model that is served', async () => {
    const path = await write(join(folder, 'weights', 'one'), 7);
    const before = await idsOf('base');
    const answer = await load('base', path);
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('has the name of the model') as string });
    expect(await idsOf('base')).toEqual(before);
  });

  it('are refused with the reason if they cannot be opened, or if the request is not whole', async () => {
    const path = join(folder, 'weights', 'broken');
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'adapter_config.json'), '{}');
    const broken = await load('one', path);
    expect(broken.status).toBe(400);
    expect(broken.text).toContain('is not a complete checkpoint');
    expect((await ask('load_lora_adapter', { lora_name: 'one' })).text).toContain('`lora_path`');
    expect((await ask('unload_lora_adapter', {})).status).toBe(400);
    const changed = await ask('load_lora_adapter', { lora_name: 'one', lora_path: path, load_inplace: true });
    expect(changed).toMatchObject({ status: 400, text: expect.stringContaining('load_inplace') as string });
  });

  it('are not offered by a server without a folder for them', async () => {
    const bare = await servePolicy({ endpoint: endpointOf('base', model(1)), host: '127.0.0.1', port: 0 });
    const response = await fetch(`${bare.url}/load_lora_adapter`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(404);
    await bare.close(0);
  });
});

describe('end tokens of a completion', () => {
  it('are those of the model, and those of the request', async () => {
    const whole = await idsOf('base', { max_tokens: 60, ignore_eos: true });
    expect(whole).toHaveLength(60);
    const [stop] = whole.slice(3);
    const place = whole.indexOf(stop!);
    const { choices } = await complete('base', { max_tokens: 60, ignore_eos: true, stop_token_ids: [stop] });
    expect(choices[0]).toMatchObject({ token_ids: whole.slice(0, place + 1), finish_reason: 'stop' });
    const own = await idsOf('base', { max_tokens: 60 });
    expect(own.length).toBeLessThan(60);
    expect(model(1).encoder.endIds).toContain(own.at(-1));
  });
});
