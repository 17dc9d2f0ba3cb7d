import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rmdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';

import type { BaseName, ExportedModel, ExportSettings } from '../../contracts/policy.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { Instances } from '../../experiments/instances.js';
import { readPulled, refuseOtherName } from '../../hub/pulled-model.js';
import type { HostSettings } from '../../plugins/create-host.js';
import type { PluginHost } from '../../plugins/open-plugin-host.js';
import { loadRun } from '../../runs/load-run.js';
import { repeatCommand } from '../repeat-command.js';
import { findBaseModel } from './base-model.js';
import { type CheckpointChoice, chooseCheckpoint } from '../../runs/choose-checkpoint.js';
import { exportWhole } from './export-whole.js';
import { modelCard } from './model-card.js';

/** What to export, and where to. */
export interface ModelExport {
  /** The run's folder. */
  readonly run: string;
  readonly checkpoint: CheckpointChoice;
  readonly dtype: ExportSettings['dtype'];
  /** Whether an adapter is added to its base. */
  readonly merge: boolean;
  /** ORG/NAME by which an adapter names its base. Absent: the name under which the base was pulled, or its folder. */
  readonly base?: string | undefined;
  /** A new or empty folder. */
  readonly to: string;
  /** The name of the model on its card; absent: that of the folder. */
  readonly name?: string;
  readonly host: PluginHost;
  readonly settings: HostSettings;
  readonly cwd: string;
}

/** The result of an export. */
export interface ModelExported extends ExportedModel {
  readonly run: string;
  readonly checkpoint: string;
  readonly dtype: ExportSettings['dtype'];
  /** Absolute. */
  readonly folder: string;
  readonly files: readonly string[];
}

/**
 * Writes the model of a run's checkpoint as a Hugging Face folder with a model card. The folder appears as a whole; an
 * export that was killed leaves only a folder `.exporting-NAME` beside it, which the next one removes.
 *
 * @throws AG_OUTPUT_EXISTS, AG_POLICY_CANNOT, and the codes of `chooseCheckpoint`
 */
export async function exportModel(request: ModelExport): Promise<ModelExported> {
  if (request.base !== undefined) refuseOtherName(request.base);
  const folder = resolve(request.cwd, request.to);
  await refuseOtherContent(folder);
  const run = await loadRun(request.run);
  const checkpoint = await chooseCheckpoint(run, request.checkpoint);
  const { recipe } = run.manifest;
  const { temperature, topP, topK, maxActionTokens } = recipe.policy.sampling;
  const { signal } = request.settings;
  return exportWhole(folder, signal, async (temporary) => {
    await mkdir(temporary);
    const exported = await new Instances(request.host, request.settings).exportPolicy(
      { name: recipe.policy.name, options: recipe.policy.options },
      checkpoint.directory,
      temporary,
      {
        dtype: request.dtype,
        merge: request.merge,
        nameBase: (base) => nameBase(base, request.base),
        sampling: { temperature, topP, topK },
        maxActionTokens,
        signal,
      },
    );
    if (request.base !== undefined && exported.base === undefined) throw idleBase();
    const base = await findBaseModel(recipe, request.settings.cacheDirectory);
    const command = await repeatCommand(run, { cwd: request.cwd, host: request.host });
    const card = modelCard({
      name: request.name ?? basename(folder),
      run,
      checkpoint,
      exported,
      dtype: request.dtype,
      base,
      // Other commands name files of this machine.
      command: command.includes('manifest.json') ? undefined : command,
    });
    await writeFile(join(temporary, 'README.md'), card);
    if (base?.folder !== undefined) await copyLicenses(base.folder, temporary);
    const files = (await readdir(temporary)).sort();
    if (existsSync(folder)) await rmdir(folder);
    return { ...exported, run: run.directory, checkpoint: checkpoint.directory, dtype: request.dtype, folder, files };
  });
}

async function nameBase(folder: string, given: string | undefined): Promise<BaseName> {
  const pulled = await readPulled(folder);
  if (pulled === undefined || (given !== undefined && given !== pulled.model)) return { name: given ?? folder };
  return { name: pulled.model, revision: pulled.commit };
}

function idleBase(): AgentgymError {
  return new AgentgymError('AG_COMMAND_USAGE', {
    message: '`--base` has no effect: the folder has a whole model, which names no base.',
    hint: 'Remove `--base`.',
  });
}

async function refuseOtherContent(folder: string): Promise<void> {
  const names = existsSync(folder) ? await readdir(folder) : [];
  if (names.length === 0) return;
  throw new AgentgymError('AG_OUTPUT_EXISTS', {
    message: `The folder ${folder} exists and is not empty.`,
    hint: 'Choose another folder with `--to DIR`, or remove it.',
    file: folder,
  });
}

async function copyLicenses(from: string, to: string): Promise<void> {
  const names = await readdir(from);
  for (const name of names.filter((each) => /^(LICEN[CS]E|NOTICE)(\.\w+)?$/i.test(each))) {
    await copyFile(join(from, name), join(to, name));
  }
}
