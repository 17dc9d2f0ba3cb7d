// Checks of a plugin's package that run none of its code.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

import semver from 'semver';

import { readWholeFileSync } from '../files/read-whole-file.js';
import { HOST, hostRange, type Inspection, inspectPackage, type PackageFault } from '../plugins/inspect-package.js';
import { Kit, type KitSettings } from '../testing/conformance-kit.js';
import { type BuiltGraph, type BuiltImport, packageOf, readBuiltGraph } from './built-imports.js';

type JsonMap = { readonly [key: string]: unknown };

/** The input of the package checks. */
interface PackageContext {
  readonly root: string;
  readonly hostVersion: string;
  /** Its package.json. */
  readonly json: JsonMap;
  readonly inspection: Inspection;
  /** Absolute path of the entry, if the package names an existing file inside itself. */
  readonly entry: string | undefined;
  /** The files that the entry imports, and their imports. */
  readonly graph: BuiltGraph;
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
const objectOf = (value: unknown): JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : {};
const faultsOf = ({ inspection }: PackageContext, ...kinds: readonly PackageFault['kind'][]): readonly string[] =>
  inspection.faults.filter(({ kind }) => kinds.includes(kind)).map(({ message }) => message);

const withoutEntry = ({ entry }: PackageContext): string | undefined =>
  entry === undefined ? 'there is no entry to check' : undefined;

const imported = ({ root }: PackageContext, { file, specifier }: BuiltImport): string =>
  `${relative(root, file)} imports ${specifier}`;

/** The target of `exports["."]`, and of its types. */
function mainExport({ json }: PackageContext): { readonly code?: unknown; readonly types?: unknown } {
  const { exports: field, types: own } = json;
  const main = typeof field === 'string' ? field : objectOf(field)['.'];
  if (typeof main === 'string') return { code: main, types: own };
  const { types = own, default: otherwise, import: esm = otherwise } = objectOf(main);
  return typeof esm === 'object' ? { types, ...objectOf(esm), code: objectOf(esm)['default'] } : { code: esm, types };
}

/** Time of the newest change among the files accepted by `wanted`; 0 if there are none. */
function newest(folder: string, wanted: RegExp, unwanted = /^$/): number {
  if (!existsSync(folder)) return 0;
  const times = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && wanted.test(item.name) && !unwanted.test(item.name))
    .filter((item) => !item.parentPath.includes('node_modules'))
    .map((item) => statSync(join(item.parentPath, item.name)).mtimeMs);
  return Math.max(0, ...times);
}

const newestSource = (root: string): number =>
  newest(join(root, 'src'), /\.[cm]?tsx?$/, /\.(test|spec|test-d|d)\.[cm]?ts$/);

/** Paths that `npm pack` would put into the tarball, relative to the root. */
async function packedFiles(root: string): Promise<readonly string[]> {
  const flags = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const limits = { timeout: 60_000, maxBuffer: 1 << 26, shell: process.platform === 'win32' };
  const { stdout } = await promisify(execFile)('npm', flags, { cwd: root, ...limits });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  return (packed?.files ?? []).map(({ path }) => path);
}

const strayFile =
  /\.(test|spec)\.[cm]?[jt]s$|\.tsbuildinfo$|(^|\/)\.env|(^|\/)node_modules\/|(^|\/)(?!.*\.d\.[cm]?ts$)[^/]+\.[cm]?ts$/;

/** Whether a package is a plugin: by its package.json if it is installed, otherwise by its name. */
function isPlugin(root: string, name: string): boolean {
  for (let folder = root; ; folder = resolve(folder, '..')) {
    const file = join(folder, 'node_modules', name, 'package.json');
    if (existsSync(file))
      return objectOf(objectOf(JSON.parse(readWholeFileSync(file).toString()))['agentgym'])['plugin'] !== undefined;
    if (resolve(folder, '..') === folder) return /^@agentgym\/plugin-/.test(name);
  }
}

/** Checks the package in a folder. */
export const packageKit = new Kit<Pick<PackageContext, 'root' | 'hostVersion'>, KitSettings, PackageContext>({
  preparation: {
    id: 'package-json',
    title: 'package.json is valid and has a name and a version',
    cure: 'Write valid JSON with a `name` and a semantic `version`.',
  },
  checks: [
    {
      id: 'plugin-field',
      title:
        'package.json declares the plugin, its entry file and the API version of this agentgym, and has a field `oclif`',
      cure: 'Add "agentgym": {"apiVersion": 1, "plugin": "./dist/index.js"} and "oclif": {} to package.json.',
      run: (context) => faultsOf(context, 'plugin-field', 'entry-path', 'api-version', 'oclif-field'),
    },
    {
      id: 'entry-file',
      title: 'the entry file and all files that it imports exist',
      cure: 'Build the package, and name a file inside it that the build writes.',
      run: (context) => [
        ...faultsOf(context, 'entry-file'),
        ...context.graph.lost.map((lost) => `${imported(context, lost)}, which does not exist`),
      ],
    },
    {
      id: 'exports',
      title: 'the package and its types can be imported by its name, and its package.json can be read',
      cure: 'Let `exports["."]` point to the file in `agentgym.plugin`, with its declarations first in `types`, and add "./package.json".',
      run: (context) => {
        const { root, json, entry } = context;
        const found: string[] = [];
        const { code, types } = mainExport(context);
        for (const [place, file] of [
          ['exports["."]', code],
          ['exports["."].types', types],
        ] as const) {
          if (typeof file !== 'string') found.push(`\`${place}\` names no file`);
          else if (!isFile(resolve(root, file))) found.push(`\`${place}\` is ${file}, which does not exist`);
        }
        if (typeof code === 'string' && entry !== undefined && resolve(root, code) !== entry)
          found.push(`\`exports["."]\` is ${code}, but \`agentgym.plugin\` is ${relative(root, entry)}`);
        if (objectOf(json['exports'])['./package.json'] === undefined) found.push('`exports` has no "./package.json"');
        return found;
      },
    },
    {
      id: 'engines',
      title: 'the package is an ES module, and declares the required versions of Node',
      cure: 'Add "type": "module" and "engines": {"node": ">=20.19"} to package.json.',
      run: ({ json, entry }) => {
        const { node } = objectOf(json['engines']);
        const isModule = json['type'] === 'module' || entry?.endsWith('.mjs') === true;
        const found = isModule ? [] : [`\`type\` is ${JSON.stringify(json['type']) ?? 'missing'}`];
        if (typeof node !== 'string' || semver.validRange(node) === null)
          found.push(`\`engines.node\` is ${JSON.stringify(node) ?? 'missing'}, which is not a version range`);
        else if (!semver.satisfies(process.versions.node, node))
          found.push(`\`engines.node\` is ${node}; this is Node ${process.versions.node}`);
        return found;
      },
    },
    {
      id: 'files',
      title: 'npm packs all files that the plugin needs at run time, and no others',
      cure: 'List the run-time files, such as "files": ["/dist/**/*.js", "/dist/**/*.d.ts"], and check with `npm pack --dry-run`.',
      idle: withoutEntry,
      run: async ({ root, json, graph }) => {
        if (!Array.isArray(json['files'])) return ['package.json has no list `files`'];
        const packed = await packedFiles(root);
        const needed = graph.files.map((file) => relative(root, file).replaceAll('\\', '/'));
        const missing = needed.filter((file) => !packed.includes(file)).slice(0, 3);
        const stray = packed.filter((file) => strayFile.test(file)).slice(0, 3);
        return [
          ...missing.map((file) => `the plugin needs ${file}, but npm does not pack it`),
          ...stray.map((file) => `npm packs ${file}, but the plugin does not need it`),
        ];
      },
    },
    {
      id: 'host-peer',
      title: 'the host is an optional peer dependency with a wide version range',
      cure: 'Declare "peerDependencies": {"@agentgym/cli": ">=0.1.0 <2"} and mark it optional in `peerDependenciesMeta`. `apiVersion` decides compatibility.',
      run: ({ json, hostVersion }) => {
        const found: string[] = [];
        if (objectOf(json['dependencies'])[HOST] !== undefined) found.push(`${HOST} is in \`dependencies\``);
        const range = hostRange(json);
        if (range === undefined) return [...found, `${HOST} is missing in \`peerDependencies\``];
        if (objectOf(objectOf(json['peerDependenciesMeta'])[HOST])['optional'] !== true)
          found.push(`the peer ${HOST} is not marked as optional`);
        if (semver.validRange(range) === null) return [...found, `${range} is not a version range`];
        const refused = [hostVersion, semver.inc(hostVersion, 'minor'), '1.0.0', '1.9.0']
          .filter((version): version is string => version !== null && semver.lt(version, '2.0.0'))
          .find((version) => !semver.satisfies(version, range, { includePrerelease: true }));
        return refused === undefined ? found : [...found, `the range ${range} of the peer ${HOST} refuses ${refused}`];
      },
    },
    {
      id: 'imports',
      title: 'the plugin imports no code of the host or of another plugin, and declares every package that it imports',
      cure: 'Import only types of the host (`import type`): create() gets everything else from its argument `host`. Move code that two plugins share into its own package. Add packages to `dependencies`.',
      idle: withoutEntry,
      run: (context) => {
        const { json, root } = context;
        const declared = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((field) =>
          Object.keys(objectOf(json[field])),
        );
        return context.graph.outside.flatMap((item) => {
          const name = packageOf(item.specifier);
          if (name === undefined || name === json['name']) return [];
          if (name === HOST) return [`${imported(context, item)}, which is code of the host`];
          if (isPlugin(root, name)) return [`${imported(context, item)}, which is another plugin`];
          return declared.includes(name) ? [] : [`${imported(context, item)}, which package.json does not declare`];
        });
      },
    },
    {
      id: 'up-to-date',
      title: 'the built files are newer than their sources',
      cure: 'Build the package again.',
      idle: (context) =>
        withoutEntry(context) ?? (newestSource(context.root) === 0 ? 'there are no sources' : undefined),
      run: ({ root, entry = root }) => {
        const folder = join(root, relative(root, entry).split(/[\\/]/)[0] ?? '');
        // If no output changes, the compiler only updates its build information.
        const information = /\.tsbuildinfo$/;
        const built = [
          newest(folder, /\.[cm]?js$/),
          newest(join(root, '.cache'), information),
          newest(root, information),
        ];
        const late = Math.ceil((newestSource(root) - Math.max(...built)) / 1000);
        return late <= 0 ? [] : [`the newest source is ${late} s newer than the newest built file`];
      },
    },
    {
      id: 'documents',
      title: 'the package has a README with content, a licence file and a licence identifier',
      cure: 'Write README.md: purpose, installation, usage, options, sources of the data. Add a LICENSE file, and its SPDX identifier as `license` in package.json.',
      run: ({ root, json }) => {
        const files = readdirSync(root);
        const readme = files.find((file) => /^readme(\.md)?$/i.test(file));
        const text = readme === undefined ? '' : readWholeFileSync(join(root, readme)).toString().trim();
        return [
          ...(text.length >= 100
            ? []
            : [readme === undefined ? 'there is no README.md' : `${readme} has almost no text`]),
          ...(typeof json['license'] === 'string' ? [] : ['package.json has no field `license`']),
          ...(files.some((file) => /^licen[sc]e(\.|$)/i.test(file)) ? [] : ['there is no file LICENSE']),
        ];
      },
    },
  ],
  prepare: ({ root, hostVersion }) => {
    const file = join(root, 'package.json');
    if (!existsSync(file)) throw new Error(`${file} does not exist`);
    const json: unknown = JSON.parse(readWholeFileSync(file).toString());
    const inspection = inspectPackage(root, json, hostVersion);
    const { entry, faults } = inspection;
    if (faults[0]?.kind === 'package-json') throw new Error(faults[0].message);
    const graph = entry === undefined ? { files: [], outside: [], lost: [] } : readBuiltGraph(entry);
    return { root, hostVersion, json: json as JsonMap, inspection, entry, graph };
  },
});
