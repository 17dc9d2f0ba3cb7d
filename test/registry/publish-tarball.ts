import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { tarOf } from './tar-of.js';

/** Publishes a tarball with the requests of npm, but without npm: its start costs more than everything else. */
export async function publishTarball(registry: string, path: string): Promise<void> {
  const json = await promisify(execFile)('tar', ['-xzOf', path, 'package/package.json']);
  return publishPackage(registry, JSON.parse(json.stdout) as Manifest, await readFile(path));
}

/** Publishes all files of a folder with little compression: compressing a native runtime like npm takes seconds. */
export async function publishFolder(registry: string, folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = paths.map(async (path) => {
    const name = ['package', ...relative(folder, path).split(sep)].join('/');
    return [name, await readFile(path)] as const;
  });
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const tarball = gzipSync(tarOf(Object.fromEntries(await Promise.all(files))), { level: 1 });
  await publishPackage(registry, manifest, tarball);
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** Publishes a tarball in memory; `registry` ends with a slash. */
export async function publishPackage(registry: string, manifest: Manifest, tarball: Buffer): Promise<void> {
  const { name, version } = manifest;
  const file = `${name}-${version}.tgz`;
  const dist = {
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    shasum: createHash('sha1').update(tarball).digest('hex'),
    tarball: `${registry}${name}/-/${file}`,
  };
  const attachment = {
    content_type: 'application/octet-stream',
    data: tarball.toString('base64'),
    length: tarball.length,
  };
  const body = {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
    _attachments: { [file]: attachment },
  };
  const answer = await fetch(`${registry}${name.replace('/', '%2f')}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${file} was not published: ${answer.status} ${await answer.text()}`);
}
