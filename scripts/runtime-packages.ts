// Makes the packages @agentgym/onnxruntime-<platform>-<arch>: the original build of onnxruntime-node, one platform in
// each, without the install script. For the reasons see docs/decisions/native-runtime.md.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../', import.meta.url));

/**
 * Libraries to leave out: only providers that the policy does not use load them, and they are not under ONNX Runtime's
 * licence.
 */
const LEFT_OUT = new Set(['DirectML.dll', 'dxcompiler.dll', 'dxil.dll']);

export interface RuntimePackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  /** Paths of the files from onnxruntime-node, to their SHA-256. */
  readonly copied: ReadonlyMap<string, string>;
}

interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies: { readonly 'onnxruntime-common': string };
}

/**
 * Downloads onnxruntime-node with the version and the checksum of package-lock.json, and unpacks it below `folder`.
 * Returns the unpacked folder. Throws if the registry serves other bytes.
 * @param integrity default: that of package-lock.json; a test sets another
 */
export async function fetchOnnxruntimeNode(folder: string, integrity?: string): Promise<string> {
  const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string } | undefined>;
  };
  const locked = lock.packages['node_modules/onnxruntime-node'];
  if (locked === undefined) throw new Error('package-lock.json has no onnxruntime-node');
  await mkdir(folder, { recursive: true });
  const packed = ['pack', `onnxruntime-node@${locked.version}`, '--json', '--prefer-offline'];
  const npm = { cwd: folder, shell: process.platform === 'win32', maxBuffer: 2 ** 26 };
  const { stdout } = await run('npm', [...packed, '--pack-destination', folder], npm);
  const filename = (JSON.parse(stdout) as { filename: string }[])[0]?.filename ?? '';
  const tarball = await readFile(join(folder, filename));
  const found = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const expected = integrity ?? locked.integrity;
  if (found !== expected)
    throw new Error(`${filename} has the checksum ${found}, and package-lock.json says ${expected}`);
  await run('tar', ['-xzf', filename], { cwd: folder });
  return join(folder, 'package');
}

/**
 * Writes one package folder below `output` for each platform with a binary in `source`. The same source gives the same
 * bytes. Each file is read back and compared.
 * @param source an unpacked or installed onnxruntime-node
 * @param wanted `<platform>-<arch>` of the packages to make; default: all
 */
export async function makeRuntimePackages(
  source: string,
  output: string,
  wanted?: readonly string[],
): Promise<readonly RuntimePackage[]> {
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as SourceManifest;
  if (manifest.name !== 'onnxruntime-node') throw new Error(`${source} is ${manifest.name}, not onnxruntime-node`);
  const binaries = await binariesOf(source);
  const machines = [...new Set(binaries.map(({ machine }) => machine))].filter(
    (name) => wanted?.includes(name) ?? true,
  );
  const scripts = [...(await filesBelow(source, 'dist')), ...(await filesBelow(source, 'lib'))];
  const packages: RuntimePackage[] = [];
  for (const machine of machines) {
    const files = binaries.filter((binary) => binary.machine === machine).map(({ path }) => path);
    packages.push(
      await makePackage(manifest, machine, source, [...scripts, ...files], join(output, `onnxruntime-${machine}`)),
    );
  }
  return packages;
}

async function makePackage(
  { version, license, dependencies }: SourceManifest,
  machine: string,
  source: string,
  files: readonly string[],
  folder: string,
): Promise<RuntimePackage> {
  const name = `@agentgym/onnxruntime-${machine}`;
  const [os = '', cpu = ''] = machine.split('-');
  await rm(folder, { recursive: true, force: true });
  const copied = new Map<string, string>();
  for (const path of files) {
    await cp(join(source, path), join(folder, path));
    const checksum = await checksumOf(join(source, path));
    if ((await checksumOf(join(folder, path))) !== checksum)
      throw new Error(`${join(folder, path)} is not what was copied`);
    copied.set(path, checksum);
  }
  const described = {
    name,
    version,
    description: `ONNX Runtime ${version} for Node.js on ${machine}: onnxruntime-node for one platform, without an install script`,
    license,
    main: 'dist/index.js',
    types: 'dist/index.d.ts',
    files: ['/bin', '/dist', '/lib', '/SHA256SUMS', '/ThirdPartyNotices.txt'],
    os: [os],
    cpu: [cpu],
    ...(os === 'linux' ? { libc: ['glibc'] } : {}),
    // Yarn must unpack the package, because a library is loaded from a file.
    preferUnplugged: true,
    dependencies: { 'onnxruntime-common': dependencies['onnxruntime-common'] },
  };
  // Provenance needs the repository of a package.
  const root = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { repository?: unknown };
  const manifest = { ...described, ...(root.repository === undefined ? {} : { repository: root.repository }) };
  const notices = join(repository, 'scripts', `onnxruntime-${version}`);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(join(folder, 'README.md'), readme(name, version, machine));
  await writeFile(join(folder, 'SHA256SUMS'), [...copied].map(([path, checksum]) => `${checksum}  ${path}\n`).join(''));
  // The notices must be of this version: the contents of a binary change with the version.
  for (const file of ['LICENSE', 'ThirdPartyNotices.txt']) await cp(join(notices, file), join(folder, file));
  return { name, version, folder, copied };
}

/** The binaries of all platforms: bin/napi-v6/linux/x64/libonnxruntime.so.1 belongs to the machine linux-x64. */
async function binariesOf(source: string): Promise<{ readonly machine: string; readonly path: string }[]> {
  const found = (await filesBelow(source, 'bin')).flatMap((path) => {
    const [, os, cpu, file] = /^bin\/napi-v\d+\/([a-z0-9]+)\/([a-z0-9]+)\/([^/]+)$/.exec(path) ?? [];
    if (os === undefined || cpu === undefined || file === undefined) throw new Error(`what is ${path} of ${source}?`);
    return LEFT_OUT.has(file) ? [] : [{ machine: `${os}-${cpu}`, path }];
  });
  if (found.length === 0) throw new Error(`${source} holds no binaries`);
  return found;
}

/** Paths of all files below a folder, with slashes, sorted. */
async function filesBelow(root: string, folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder), { recursive: true });
  const paths = names.map((name) => `${folder}/${name.split(sep).join('/')}`).sort();
  const kinds = await Promise.all(paths.map(async (path) => (await stat(join(root, path))).isFile()));
  return paths.filter((_, i) => kinds[i]);
}

async function checksumOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

function readme(name: string, version: string, machine: string): string {
  return `# ${name}

ONNX Runtime ${version} for Node.js on ${machine}. \`@agentgym/plugin-policy-transformer\` computes with it; npm installs it by itself where it fits.

It is the package \`onnxruntime-node\` ${version} of Microsoft, unmodified, with three things left out: the files of other platforms, libraries of
graphics processors, and the install script, which fetches more of those from outside the registry. \`SHA256SUMS\` lists what was taken over;
the same files are in \`onnxruntime-node\`. Licence: MIT (LICENSE); of what is compiled in: ThirdPartyNotices.txt.
`;
}
