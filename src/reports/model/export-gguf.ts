import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';

import type { ExportedModel, GgufSettings, Sampling } from '../../contracts/policy.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { Instances } from '../../experiments/instances.js';
import { loadRun } from '../../runs/load-run.js';
import { chooseCheckpoint } from '../../runs/choose-checkpoint.js';
import type { ModelExport } from './export-model.js';
import { exportWhole } from './export-whole.js';

/** What to export, and where to; `to` is a new file. */
export interface GgufExport extends Omit<ModelExport, 'dtype' | 'base' | 'name'> {
  readonly dtype: GgufSettings['dtype'];
}

/** The result of an export. */
export interface GgufExported extends Omit<ExportedModel, 'base'> {
  readonly run: string;
  readonly checkpoint: string;
  readonly dtype: GgufSettings['dtype'];
  /** Absolute. */
  readonly file: string;
}

/**
 * Writes the model of a run's checkpoint as a GGUF file, which appears as a whole.
 *
 * @throws AG_OUTPUT_EXISTS, AG_POLICY_CANNOT, AG_PLUGIN_FAILED with the policy's reason, and the codes of `chooseCheckpoint`
 */
export async function exportGguf(request: GgufExport): Promise<GgufExported> {
  const { dtype, merge } = request;
  const { signal } = request.settings;
  const file = resolve(request.cwd, request.to);
  if (existsSync(file)) {
    throw new AgentgymError('AG_OUTPUT_EXISTS', {
      message: `${file} exists.`,
      hint: 'Choose another file with `--to FILE`, or remove it.',
      file,
    });
  }
  const run = await loadRun(request.run);
  const checkpoint = await chooseCheckpoint(run, request.checkpoint);
  const { policy } = run.manifest.recipe;
  // A run without reinforcement learning keeps no temperature.
  const kept: Partial<Sampling> = policy.sampling;
  const { temperature = 1, topK = 0, topP = 1 } = kept;
  return exportWhole(file, signal, async (temporary) => {
    const exported = await new Instances(request.host, request.settings).exportGguf(
      { name: policy.name, options: policy.options },
      checkpoint.directory,
      temporary,
      { dtype, merge, name: basename(file, '.gguf'), sampling: { temperature, topP, topK }, signal },
    );
    return { ...exported, run: run.directory, checkpoint: checkpoint.directory, dtype, file };
  });
}
