import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { GenerateRequest, Sampling } from '../contracts/policy.js';
import type { PublishedWeights, SamplerContext, SamplerModule, TokenSampler } from '../contracts/sampler.js';
import { isUnavailable } from '../errors/is-unavailable.js';
import { messageOf } from '../errors/message-of.js';
import { DeadlineError, withinDeadline } from '../errors/within-deadline.js';
import { declareKit, findingsOf, type KitCheck, type KitReport, type KitSettings, runKit } from './conformance-kit.js';
import type { DeclareTest } from './declare-test.js';
import type { Finding } from './finding.js';
import { isJson } from './is-json.js';
import { quietly } from './quietly.js';
import { requireMembers } from './require-members.js';
import { testHost } from './test-host.js';

/** A sampler for the kit: its module, and options to test it with. */
export interface TokenSamplerSubject<Options> extends SamplerModule<Options> {
  readonly options: Options;
}

export interface TokenSamplerCheckSettings extends KitSettings {
  /** An address where nobody listens. Default: a port of this machine. */
  readonly emptyAddress?: string;
  /** Maximum seconds until a sampler gives up on a server that is down. */
  readonly secondsPerCall?: number;
}

/** The argument of every check of a sampler. */
interface TokenSamplerCheckContext {
  readonly sampler: TokenSampler;
  readonly create: () => Promise<TokenSampler>;
  /** The calls that ask the server, by name. */
  readonly calls: readonly (readonly [name: string, call: (signal: AbortSignal) => Promise<unknown>])[];
  readonly millisecondsPerCall: number;
}

/** No service has this port, and `fetch` does not refuse it. */
const EMPTY_ADDRESS = 'http://127.0.0.1:4';

const sampling: Sampling = { temperature: 1, topP: 1, topK: 0 };

const request: GenerateRequest = {
  tokens: [1, 2, 3],
  sequence: 'one',
  endIds: [0],
  maxTokens: 2,
  draws: Float64Array.of(0.5, 0.25),
};

export const tokenSamplerChecks: readonly KitCheck<TokenSamplerCheckContext>[] = [
  {
    id: 'server-down',
    title: 'connect() and publish() throw an error with the code UNAVAILABLE if the server is down',
    severity: 'error',
    likelyCause: 'an error of the connection is caught, retried without an end, or thrown without the code',
    why: 'A run would train on tokens that no model sampled, or seem to have a bug.',
    cure: 'Throw an error with `code: "UNAVAILABLE"` and a message that names the address, after a few retries at most.',
    run: async ({ calls, millisecondsPerCall }) => {
      const silent = new AbortController().signal;
      const said: string[] = [];
      // `generate` may rely on weights, and none can be published here.
      for (const [name, call] of calls.filter(([one]) => one !== 'generate')) {
        try {
          await withinDeadline(`${name}()`, millisecondsPerCall, () => call(silent));
          said.push(`nobody listens, and ${name}() succeeded`);
        } catch (error) {
          if (!isUnavailable(error)) said.push(`the error of ${name}() has no code UNAVAILABLE: ${messageOf(error)}`);
        }
      }
      return said;
    },
  },
  {
    id: 'interrupted',
    title: 'it ends a call soon after its signal is aborted',
    severity: 'error',
    likelyCause: 'the signal is not passed to requests and to pauses between them',
    why: 'Ctrl-C would seem not to work.',
    cure: 'Pass the signal to every request and every pause.',
    run: async ({ calls }) => {
      const aborted = AbortSignal.abort(new Error('enough'));
      const said: string[] = [];
      for (const [name, call] of calls) {
        try {
          await withinDeadline(`an aborted ${name}()`, 2_000, () => call(aborted));
          said.push(`${name}() succeeded although its signal was aborted`);
        } catch (error) {
          if (error instanceof DeadlineError) said.push(error.message);
        }
      }
      return said;
    },
  },
  {
    id: 'facts',
    title: 'describe() gives JSON, and its promises are true or false',
    severity: 'error',
    likelyCause: 'a fact is undefined, a date or a number that is not finite',
    why: 'The manifest of the run could not be written, or a feature that needs a promise would be used without it.',
    cure: 'Return plain JSON, and state `independent`, `draws` and `exact`.',
    run: ({ sampler }) => {
      const { promises } = sampler;
      return [
        ...(isJson(sampler.describe()) ? [] : ['describe() is not JSON']),
        ...(['independent', 'draws', 'exact'] as const).flatMap((name) =>
          typeof promises[name] === 'boolean' ? [] : [`promises.${name} is ${String(promises[name])}`],
        ),
      ];
    },
  },
  {
    id: 'dispose-twice',
    title: 'dispose() may be called twice, also while the server is down',
    severity: 'error',
    likelyCause: 'dispose() frees something that is already free, or throws what the server says',
    why: 'The end of a run would fail.',
    cure: 'Let the second call do nothing, and ignore errors of the server there.',
    run: async ({ create }) => {
      const sampler = await create();
      await sampler.dispose?.();
      await sampler.dispose?.();
      return [];
    },
  },
];

/** Checks a sampler against its contract, without a server, and reports the outcome of each check. */
export async function examineTokenSampler<Options>(
  { create: make, options }: TokenSamplerSubject<Options>,
  settings: TokenSamplerCheckSettings = {},
): Promise<KitReport> {
  const context: SamplerContext = { address: settings.emptyAddress ?? EMPTY_ADDRESS, sampling };
  const made: TokenSampler[] = [];
  const create = async (): Promise<TokenSampler> => {
    const sampler = await make(options, testHost(settings.seed), context);
    requireMembers('create()', sampler, {
      promises: 'object',
      connect: 'function',
      publish: 'function',
      generate: 'function',
      describe: 'function',
    });
    made.push(sampler);
    return sampler;
  };
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-sampler-'));
  // An adapter without tensors: a header of two bytes, `{}`.
  await writeFile(join(folder, 'adapter_config.json'), '{"peft_type": "LORA", "base_model_name_or_path": "base"}');
  await writeFile(join(folder, 'adapter_model.safetensors'), Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0x7d));
  const weights: PublishedWeights = { folder, base: { name: 'base' } };
  const checks = await runKit(tokenSamplerChecks, settings, async () => {
    const sampler = await create();
    return {
      sampler,
      create,
      calls: [
        ['connect', (signal: AbortSignal) => sampler.connect(signal)],
        ['publish', (signal: AbortSignal) => sampler.publish(weights, signal)],
        ['generate', (signal: AbortSignal) => sampler.generate([request], sampling, signal)],
      ] as const,
      millisecondsPerCall: 1_000 * (settings.secondsPerCall ?? 60),
    };
  });
  for (const sampler of made) await quietly(() => sampler.dispose?.());
  await rm(folder, { recursive: true, force: true });
  return { checks };
}

/** Checks a sampler against its contract and returns findings with their usual causes. */
export async function checkTokenSampler<Options>(
  subject: TokenSamplerSubject<Options>,
  settings: TokenSamplerCheckSettings = {},
): Promise<Finding[]> {
  return findingsOf(await examineTokenSampler(subject, settings));
}

/** Declares the kit as tests, one for each check. `it` is the function of the test runner. */
export function describeTokenSampler<Options>(
  it: DeclareTest,
  subject: TokenSamplerSubject<Options>,
  settings: TokenSamplerCheckSettings = {},
): void {
  declareKit(it, tokenSamplerChecks, settings, () => checkTokenSampler(subject, settings));
}
