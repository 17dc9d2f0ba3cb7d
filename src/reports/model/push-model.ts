import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { HubAccess } from '../../hub/hub-access.js';
import { refuseOtherName } from '../../hub/pulled-model.js';
import { pushFolder, type PushedModel } from '../../hub/push-folder.js';
import { AgentgymError } from '../../errors/agentgym-error.js';
import { manifestPath } from '../../runs/run-manifest.js';
import { resolveRun } from '../../runs/resolve-run.js';
import type { TransferEvent } from '../../transfers/transfer-event.js';
import { exportModel, type ModelExport } from './export-model.js';

/** What to push, and where to. */
export interface ModelPush extends Pick<ModelExport, 'host' | 'settings' | 'cwd'> {
  /** A run, or a folder with a model. */
  readonly source: string;
  readonly runsFolder: string;
  /** ORG/NAME. */
  readonly model: string;
  readonly isPrivate?: boolean | undefined;
  /** Only for a run; default: latest. */
  readonly checkpoint?: ModelExport['checkpoint'];
  /** Only for a run; default: float32. */
  readonly dtype?: ModelExport['dtype'];
  readonly merge?: boolean;
  readonly base?: string | undefined;
  readonly hub: HubAccess;
  readonly onEvent: (event: TransferEvent) => void;
}

/** Pushes a folder with a model; a run is exported first, into a folder that is removed at the end. */
export async function pushModel(push: ModelPush): Promise<PushedModel> {
  const { source, runsFolder, model, isPrivate, hub, onEvent, checkpoint, dtype, merge = false, base, ...place } = push;
  refuseOtherName(model);
  const target = { model, isPrivate, hub, onEvent };
  const configs = ['config.json', 'adapter_config.json'];
  const isFolder = configs.some((name) => existsSync(join(source, name))) && !existsSync(manifestPath(source));
  if (isFolder) {
    const given = { '--checkpoint': checkpoint, '--dtype': dtype, '--merge': merge || undefined, '--base': base };
    const flag = Object.entries(given).find(([, value]) => value !== undefined);
    if (flag !== undefined) throw idle(flag[0], source);
    return pushFolder({ folder: source, ...target });
  }
  const run = await resolveRun(source, runsFolder);
  const temporary = await mkdtemp(join(tmpdir(), 'agentgym-push-'));
  try {
    const to = join(temporary, 'model');
    const how = { checkpoint: checkpoint ?? 'latest', dtype: dtype ?? 'float32', merge, base };
    const { folder } = await exportModel({ ...place, ...how, name: model, run, to });
    return await pushFolder({ folder, ...target });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function idle(flag: string, folder: string): AgentgymError {
  return new AgentgymError('AG_COMMAND_USAGE', {
    message: `\`${flag}\` has no effect: ${folder} is a folder with a model, which is pushed as it is.`,
    hint: `Remove \`${flag}\`, or push the run.`,
  });
}
