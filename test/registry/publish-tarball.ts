import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Publishes a tarball without npm: asks of the registry what npm asks. A start of npm costs more than all the rest. */
export async function publishTarball(registry: string, path: string): Promise<void> {
  const json = await promisify(execFile)('tar', ['-xzOf', path, 'package/package.json']);
  return publishPackage(registry, JSON.parse(json.stdout) as Manifest, await readFile(path));
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** Publishes what is in memory; `registry` ends with a slash. */
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
