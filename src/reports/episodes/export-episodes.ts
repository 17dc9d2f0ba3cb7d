import { existsSync } from 'node:fs';

import type { EntryPlan, RunPlan } from '../../config/run-plan.js';
import { JsonLinesWriter } from '../../demonstrations/json-lines-writer.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { systemReason } from '../../errors/system-error.js';
import { findModel, loadModel } from '../../experiments/find-model.js';
import { Instances } from '../../experiments/instances.js';
import { playedEnvironment } from '../../experiments/open-parts.js';
import type { HostSettings } from '../../plugins/create-host.js';
import type { PluginHost } from '../../plugins/open-plugin-host.js';
import { systemPrompt } from '../../rollout/actor.js';
import { fitFormat, refitFormat } from '../../rollout/fit-format.js';
import { planOfRun } from '../../runs/plan-of-run.js';
import { readManifest, type RunManifest } from '../../runs/run-manifest.js';
import { atifDocument } from './atif-document.js';
import { chatDocument } from './chat-document.js';
import type { EpisodeSource, SourceEntry } from './recorded-episode.js';
import { readRecorded, recordedLogs, unknownEntry } from './recorded-logs.js';

/** How an episode is written. */
const episodeFormats = { atif: atifDocument, chat: chatDocument } as const;

export interface ExportEpisodesRequest {
  /** The run's folder. */
  readonly run: string;
  readonly format: keyof typeof episodeFormats;
  /** Names of logs, such as `rl` or `evaluation.final`. Absent: all. */
  readonly logs?: readonly string[];
  /** `success`: lost episodes are left out. */
  readonly filter?: 'success';
  readonly output: string;
  /** Overwrite a file that is there. */
  readonly force: boolean;
  readonly version: string;
  readonly host: PluginHost;
  readonly settings: HostSettings;
}

export interface ExportedEpisodes {
  readonly file: string;
  readonly episodes: number;
  /** Episodes that failed, or were filtered out. */
  readonly leftOut: number;
  readonly bytes: number;
}

/**
 * Writes the recorded episodes of a run as JSONL, one document a line. The file appears as a whole or not at all.
 *
 * @throws AG_OUTPUT_EXISTS, AG_EPISODES_EXPORT, AG_RUN_DAMAGED, and the errors of contributions
 */
export async function exportEpisodes(request: ExportEpisodesRequest): Promise<ExportedEpisodes> {
  const { filter, force, format, output, run } = request;
  const manifest = await readManifest(run);
  const logs = recordedLogs(run, request.logs);
  if (!force && existsSync(output)) {
    throw new AgentgymError('AG_OUTPUT_EXISTS', {
      message: `${output} already exists.`,
      hint: 'Choose another `--to FILE`, or overwrite it with `--force`.',
      file: output,
    });
  }
  const source = await describeSource(manifest, request);
  const writer = await JsonLinesWriter.open(output, refusal);
  let [episodes, leftOut] = [0, 0];
  try {
    for (const log of logs) {
      for await (const document of readRecorded(log)) {
        request.settings.signal.throwIfAborted();
        if (document.status !== 'completed' || (filter === 'success' && !document.success)) {
          leftOut += 1;
          continue;
        }
        await writer.write(episodeFormats[format](document, source));
        episodes += 1;
      }
    }
    if (episodes === 0) {
      throw new AgentgymError('AG_EPISODES_EXPORT', {
        message: `No episode was written: the run has recorded ${leftOut}, and none was kept.`,
        hint: 'Leave out `--filter`, name other logs with `--log`, or record more with `record.episodes` in the recipe.',
      });
    }
    const { bytes } = await writer.finish();
    return { file: writer.file, episodes, leftOut, bytes };
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** Makes what the prompt consists of: the rules of the environment, the format, and the tools. */
async function describeSource(
  manifest: RunManifest,
  { host, run, settings, version }: ExportEpisodesRequest,
): Promise<EpisodeSource> {
  const { id, recipe } = manifest;
  const plan = planOfRun(manifest);
  const instances = new Instances(host, settings);
  const entries = new Map<string | undefined, SourceEntry>();
  for (const entry of plan.entries) {
    entries.set(entry.entry, await describeEntry(plan, entry, instances, run, settings));
  }
  return {
    run: id,
    version,
    policy: recipe.policy.name,
    entryOf({ entry }) {
      const described = entries.get(entry);
      if (described !== undefined) return described;
      throw unknownEntry(run, entry);
    },
  };
}

async function describeEntry(
  { recipe, toolLimits }: RunPlan,
  { environment: own, format: formatSettings, prompt, tools: toolSettings }: EntryPlan,
  instances: Instances,
  run: string,
  settings: HostSettings,
): Promise<SourceEntry> {
  const environment = await instances.environment(playedEnvironment(recipe, own));
  const { instructions } = environment.world;
  await environment.pool.dispose();
  const tools = await instances.tools(toolSettings, toolLimits, environment.world);
  try {
    const named = await instances.format(formatSettings);
    const format =
      named.withFunctions === undefined
        ? fitFormat(named, { tools })
        : await fitToModel(run, instances, named, tools, settings);
    const { name, options } = own;
    return {
      environment: { name, options },
      system(episode) {
        const offered = episode.tools === undefined ? tools : tools?.choosing(episode.tools);
        const told = offered === tools || offered === undefined ? format : refitFormat(format, offered);
        return systemPrompt(episode.instructions ?? instructions, told, offered, prompt?.system);
      },
    };
  } finally {
    await tools?.dispose();
  }
}

/** A format with function calls is written in the syntax of the model. */
async function fitToModel(
  run: string,
  instances: Instances,
  named: Awaited<ReturnType<Instances['format']>>,
  tools: Awaited<ReturnType<Instances['tools']>>,
  { cacheDirectory }: HostSettings,
) {
  const found = await findModel(run, { runsFolder: '.', cacheDirectory });
  if (found === undefined) return fitFormat(named, { tools });
  const model = await loadModel(found, instances);
  try {
    return fitFormat(named, { tools, encoder: model.encoder });
  } finally {
    await model.dispose();
  }
}

function refusal(file: string, error: unknown): AgentgymError {
  return new AgentgymError('AG_EPISODES_EXPORT', {
    message: `Could not write ${file}: ${systemReason(error)}.`,
    file,
    cause: error,
  });
}
