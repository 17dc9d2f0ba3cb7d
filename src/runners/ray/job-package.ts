import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { zipSync } from 'fflate';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { lastingFiles } from '../frames/lasting-files.js';

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
  return Object.fromEntries(lastingFiles(folder).map((path) => [`${prefix}${path}`, readFileSync(join(folder, path))]));
}

/** The files of a project. */
export function projectFiles(folder: string, prefix = ''): PackageFiles {
  const files: Record<string, Uint8Array> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (LEFT_OUT.test(entry.name)) continue;
    const [path, name] = [join(folder, entry.name), `${prefix}${entry.name}`];
    if (entry.isDirectory()) Object.assign(files, projectFiles(path, `${name}/`));
    else if (entry.isFile()) files[name] = readFileSync(path);
  }
  return files;
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
