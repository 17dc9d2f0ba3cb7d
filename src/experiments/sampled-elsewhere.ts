// A policy that learns here and whose training episodes a sampler writes, such as a server with continuous batching. To
// the loops it is one policy model.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '../contracts/json.js';
import type {
  ExportedModel,
  GeneratedTokens,
  GenerateRequest,
  PolicyCapabilities,
  PolicyModel,
  Sampling,
  SamplerPromises,
} from '../contracts/policy.js';
import type { TokenSampler } from '../contracts/sampler.js';
import { inTemporaryFolder } from '../files/temporary-folder.js';
import { CallSignals } from '../rollout/call-signals.js';
import { checkSampledTokens } from './check-sampled-tokens.js';

export interface SampledElsewhereParts {
  /** The policy that learns. */
  readonly policy: PolicyModel;
  readonly sampler: TokenSampler;
  /** The sampler's name in the recipe. */
  readonly name: string;
  /** Whether the sampler also plays evaluations. */
  readonly evaluates: boolean;
  /** Where the folders of weights are made. Absent: in the system's folder for temporary files. */
  readonly folder?: string | undefined;
  /** Writes the model of a checkpoint as a Hugging Face or PEFT folder, into an existing empty folder. */
  readonly exportWeights: (checkpoint: string, directory: string) => Promise<ExportedModel>;
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal;
}

/** What a policy can do whose training episodes have a sampler. */
export function withSampler(
  capabilities: PolicyCapabilities,
  promises: SamplerPromises,
  evaluates: boolean,
): PolicyCapabilities {
  const { exactSampler = capabilities.sampler, ...others } = capabilities;
  // Without `evaluates`, evaluations are calls of the policy itself.
  return { ...others, sampler: promises, ...(!evaluates && { exactSampler }) };
}

/** What the policy does itself. */
const ownMethods = [
  ...([
    'release',
    'forwardBackward',
    'optimizerStep',
    'resetOptimizer',
    'logprobs',
    'values',
    'freeze',
    'save',
  ] as const),
  ...(['takeOperations', 'peakOperations', 'measureMemory'] as const),
];

/** These methods of an object, to be called on their own. A method that it does not have is left out. */
function methodsOf<T extends object, Name extends keyof T>(object: T, names: readonly Name[]): Pick<T, Name> {
  const methods = names.flatMap((name): [Name, unknown][] => {
    const method = object[name];
    return typeof method === 'function' ? [[name, method.bind(object)]] : [];
  });
  return Object.fromEntries(methods) as Pick<T, Name>;
}

/** Samples, and knows whose weights the sampler has. */
export class SampledElsewhere implements Omit<PolicyModel, (typeof ownMethods)[number]> {
  readonly #parts: SampledElsewhereParts;
  readonly #policy: PolicyModel;
  /** The weights that the sampler has. Undefined: none, or others than the policy's. */
  #published: { readonly version: number; readonly directory: string } | undefined;
  #publishing: Promise<void> | undefined;
  readonly #calls = new CallSignals();
  /** The folder of all folders of weights. */
  #root: string | undefined;

  private constructor(parts: SampledElsewhereParts) {
    this.#parts = parts;
    this.#policy = parts.policy;
  }

  /** Connects to the sampler and publishes the first weights, so that a server that cannot take them is found early. */
  static async open(parts: SampledElsewhereParts): Promise<PolicyModel> {
    const model = new SampledElsewhere(parts);
    const { takeOperations, ...others } = methodsOf(parts.policy, ownMethods);
    // A count without sampling would be no count of the run.
    const counting = takeOperations && parts.policy.countSampled ? { takeOperations } : {};
    try {
      await parts.sampler.connect(parts.signal);
      await model.#publishNewest(parts.signal);
      return Object.assign(model, others, counting);
    } catch (error) {
      await model.#close();
      throw error;
    }
  }

  get capabilities(): PolicyCapabilities {
    const { evaluates, sampler } = this.#parts;
    return withSampler(this.#policy.capabilities, sampler.promises, evaluates);
  }

  get encoder() {
    return this.#policy.encoder;
  }

  get policyVersion(): number {
    return this.#policy.policyVersion;
  }

  async generate(
    requests: readonly GenerateRequest[],
    sampling: Sampling,
    signal: AbortSignal = this.#parts.signal,
  ): Promise<GeneratedTokens[]> {
    const { evaluates, name, sampler } = this.#parts;
    if (sampling.exact === true && !evaluates) return this.#policy.generate(requests, sampling, signal);
    // A sampler leaves a listener on the signal of each call, and there may be many calls at a time.
    const call = this.#calls.begin(signal);
    let answers: readonly GeneratedTokens[];
    try {
      await this.#publishNewest(call.signal);
      answers = await sampler.generate(requests, sampling, call.signal);
    } finally {
      this.#calls.end(signal, call);
    }
    const checked = checkSampledTokens(name, requests, answers, this.#policy.capabilities.vocabularySize);
    for (const [place, answer] of checked.entries()) this.#policy.countSampled?.(requests[place]!, answer);
    return checked;
  }

  /** Other weights may have the version that the sampler has, so they are published in any case. */
  async load(directory: string): Promise<void> {
    await this.#policy.load(directory);
    await this.#forget();
  }

  describe(): JsonObject {
    const { name, sampler } = this.#parts;
    return { ...this.#policy.describe(), sampler: { name, ...sampler.describe() } };
  }

  async dispose(): Promise<void> {
    await this.#close();
    await this.#policy.dispose();
  }

  /** Hands the policy's weights to the sampler if it has others. Calls at the same time wait for the same weights. */
  async #publishNewest(signal: AbortSignal): Promise<void> {
    const { policyVersion } = this.#policy;
    if (this.#published?.version === policyVersion) return;
    this.#publishing ??= this.#publish(policyVersion, signal).finally(() => (this.#publishing = undefined));
    await this.#publishing;
  }

  async #publish(version: number, signal: AbortSignal): Promise<void> {
    const { exportWeights, sampler } = this.#parts;
    // A server may run as another user: a folder that the recipe names has the usual rights.
    const directory = join(await this.#openRoot(), `weights-${version}-${randomUUID().slice(0, 8)}`);
    await mkdir(directory);
    try {
      await inTemporaryFolder('agentgym-weights-', async (checkpoint) => {
        await this.#policy.save(checkpoint);
        const { base } = await exportWeights(checkpoint, directory);
        await sampler.publish({ folder: directory, ...(base && { base }) }, signal);
      });
    } catch (error) {
      await remove(directory);
      throw error;
    }
    await this.#forget();
    this.#published = { version, directory };
  }

  /** Removes the folder of weights that are no longer needed. */
  async #forget(): Promise<void> {
    const directory = this.#published?.directory;
    this.#published = undefined;
    if (directory !== undefined) await remove(directory);
  }

  async #openRoot(): Promise<string> {
    const { folder } = this.#parts;
    if (folder === undefined) return (this.#root ??= await mkdtemp(join(tmpdir(), 'agentgym-sampler-')));
    await mkdir(folder, { recursive: true });
    return folder;
  }

  /** The sampler may still read the folder, so it ends first. */
  async #close(): Promise<void> {
    await this.#publishing?.catch(() => undefined);
    await this.#parts.sampler.dispose?.();
    await this.#forget();
    if (this.#root !== undefined) await remove(this.#root);
  }
}

function remove(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true });
}
