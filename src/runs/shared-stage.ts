import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { filesBelow } from '../files/files-below.js';
import { longestLog, readTextFile, readWholeFile } from '../files/read-whole-file.js';
import type { JsonObject } from '../contracts/json.js';
import type { PolicyModel } from '../contracts/policy.js';
import type { RecordedStep, SharedStage } from '../training/run-stage.js';
import { writeJsonAtomically } from './durable-files.js';
import { loadWeights } from './load-weights.js';

/**
 * The initial weights and everything else that a stage's numbers depend on. Records with another identity are not read.
 */
interface StageIdentity extends JsonObject {
  /** SHA-256 of the policy's files before the first step. */
  readonly policy: string;
}

interface SharedStageOptions {
  /** Folder of this stage. It exists once all steps of the stage are recorded. */
  readonly folder: string;
  readonly identity: StageIdentity;
  readonly policy: Pick<PolicyModel, 'save' | 'load'>;
  /**
   * Whether runs need the weights after this step, to evaluate or to save them. The weights after the last step are
   * always kept.
   */
  readonly needsWeights: (step: number) => boolean;
}

/**
 * A stage that several runs share: the first run writes the result of each step, the others read it. Both kinds of runs
 * write the same lines and the same weights, since a step depends only on the weights and its input. Undefined if the
 * stored stage comes from another policy, machine or package version.
 */
export async function openSharedStage(options: SharedStageOptions): Promise<SharedStage | undefined> {
  const { folder, identity } = options;
  if (!existsSync(folder)) return recorder(options);
  const written = JSON.parse(await readTextFile(join(folder, identityFile))) as StageIdentity;
  return JSON.stringify(written) === JSON.stringify(identity) ? reader(options) : undefined;
}

/** A digest that identifies a policy's weights. */
export async function policyDigest(policy: Pick<PolicyModel, 'save'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-digest-'));
  try {
    await policy.save(folder);
    const hash = createHash('sha256');
    for (const path of await filesBelow(folder)) {
      hash.update(`/${path}`).update(await readWholeFile(join(folder, path), Infinity));
    }
    return hash.digest('hex');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const identityFile = 'identity.json';
const stepsFile = 'steps.jsonl';
const weightsFolder = (folder: string, step: number): string => join(folder, `step-${step}`);

async function recorder({ folder, identity, policy, needsWeights }: SharedStageOptions): Promise<SharedStage> {
  // Another process may record the same stage. The one that ends first is used.
  const partial = `${folder}.${randomBytes(4).toString('hex')}`;
  await mkdir(partial, { recursive: true });
  await writeJsonAtomically(join(partial, identityFile), identity);
  return {
    take: () => Promise.resolve(undefined),
    holdsWeights: () => true,
    async keep(step, recorded, ended) {
      await appendFile(join(partial, stepsFile), `${JSON.stringify(recorded)}\n`);
      if (ended || needsWeights(step)) {
        await mkdir(weightsFolder(partial, step));
        await policy.save(weightsFolder(partial, step));
      }
      if (!ended) return;
      if (existsSync(folder)) await rm(partial, { recursive: true });
      else await rename(partial, folder);
    },
  };
}

async function reader({ folder, policy }: SharedStageOptions): Promise<SharedStage> {
  const lines = (await readTextFile(join(folder, stepsFile), longestLog)).trimEnd().split('\n');
  const steps = lines.map((line) => JSON.parse(line) as RecordedStep);
  const holdsWeights = (step: number): boolean => existsSync(weightsFolder(folder, step));
  return {
    async take(step) {
      if (holdsWeights(step)) await loadWeights(policy, weightsFolder(folder, step));
      return steps[step - 1];
    },
    holdsWeights,
    keep: () => Promise.resolve(),
  };
}
