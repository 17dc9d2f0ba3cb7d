import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { zipSync } from 'fflate';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { filesIn, lastingFiles } from '../frames/lasting-files.js';

/** What a job does not need of a project: dependencies are installed on the nodes. Records of jobs have their keys. */
const LEFT_OUT = /^(node_modules|runs|\.git)$|\.job(\.json)?$/;
/** The dashboard refuses larger uploads (`DASHBOARD_CLIENT_MAX_SIZE` of Ray). */
const largest = 100 * 1024 * 1024;
/** Zip files keep times, and equal files must give equal packages. */
const mtime = new Date('2000-01-01T00:00:00Z');

/** Files by their path in the package. */
export type PackageFiles = { readonly [path: string]: Uint8Array };

/** The files of a run's folder, with this path in front. */
export function runFiles(folder: string, prefix: string): PackageFiles {
  return contentsOf(folder, lastingFiles(folder), prefix);
}

/** The files of a project. */
export function projectFiles(folder: string): PackageFiles {
  return contentsOf(
    folder,
    filesIn(folder, (name) => LEFT_OUT.test(name)),
  );
}

function contentsOf(folder: string, paths: readonly string[], prefix = ''): PackageFiles {
  return Object.fromEntries(paths.map((path) => [`${prefix}${path}`, readFileSync(join(folder, path))]));
}

/** A package for the head: a zip file with a name that Ray takes from its content. */
export function packFiles(files: PackageFiles): { readonly name: string; readonly bytes: Buffer } {
  const bytes = Buffer.from(zipSync({ ...files }, { mtime, level: 6 }));
  if (bytes.length > largest) {
    throw new AgentgymError('AG_RUNNER_UNAVAILABLE', {
      message: `The files of a job are ${Math.ceil(bytes.length / 1e6)} MB as a zip file, and Ray accepts 100 MiB.`,
      hint: 'Use a disk that the nodes share (`--runner-option sharedDisk=true`), or move large files out of the project.',
    });
  }
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return { name: `_ray_pkg_${hash}.zip`, bytes };
}
