// What can be said of a plugin's package before any of its code runs.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

import semver from 'semver';

import { HOST, hostRange, type PackageFault } from '../plugins/inspect-package.js';
import type { KitCheck } from '../testing/conformance-kit.js';
import { packageOf, type BuiltImport } from './built-imports.js';
import type { PackageContext } from './package-context.js';

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
const objectOf = (value: unknown): PackageContext['json'] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as PackageContext['json']) : {};
const declarationOf = (json: PackageContext['json']): PackageContext['json'] => objectOf(json['agentgym']);
const faultsOf = ({ inspection }: PackageContext, ...kinds: readonly PackageFault['kind'][]): readonly string[] =>
  inspection.faults.filter(({ kind }) => kinds.includes(kind)).map(({ message }) => message);
const stringsOf = (value: unknown) => objectOf(value) as { readonly [name: string]: string };

const withoutEntry = ({ entry }: PackageContext): string | undefined =>
  entry === undefined ? 'there is no entry to look at' : undefined;

const imported = ({ root }: PackageContext, { file, specifier }: BuiltImport): string =>
  `${relative(root, file)} imports ${specifier}`;

/** The target of `exports["."]`, and of its types. */
function mainExport({ json }: PackageContext): { readonly code?: unknown; readonly types?: unknown } {
  const field = json['exports'];
  const main = typeof field === 'string' ? field : (objectOf(field)['.'] ?? undefined);
  if (typeof main === 'string') return { code: main, types: json['types'] };
  const { types = json['types'], default: otherwise, import: esm = otherwise } = objectOf(main);
  return {
    code: typeof esm === 'object' ? objectOf(esm)['default'] : esm,
    types: typeof esm === 'object' ? (objectOf(esm)['types'] ?? types) : types,
  };
}

/** Newest change among the files of a folder that `wanted` takes; 0 where there is none. */
function newest(folder: string, wanted: (name: string) => boolean): number {
  if (!existsSync(folder)) return 0;
  const times = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && wanted(item.name) && !item.parentPath.includes('node_modules'))
    .map((item) => statSync(join(item.parentPath, item.name)).mtimeMs);
  return Math.max(0, ...times);
}

const isSource = (name: string): boolean => /\.[cm]?tsx?$/.test(name) && !/\.(test|spec|test-d|d)\.[cm]?ts$/.test(name);

/** Paths that `npm pack` would put into the tarball, relative to the root. */
async function packedFiles(root: string): Promise<readonly string[]> {
  const flags = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', flags, {
    cwd: root,
    timeout: 60_000,
    maxBuffer: 1 << 26,
    shell: process.platform === 'win32',
  });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  return (packed?.files ?? []).map(({ path }) => path);
}

const strayFile =
  /\.(test|spec)\.[cm]?[jt]s$|\.tsbuildinfo$|(^|\/)\.env|(^|\/)node_modules\/|(^|\/)(?!.*\.d\.[cm]?ts$)[^/]+\.[cm]?ts$/;

export const packagePreparation = {
  id: 'package-json',
  title: 'package.json is readable, with a name and a version',
  likelyCause: 'a comma too many, or a folder that is no package',
  why: 'Without a readable package.json with a name and a version nothing can be installed or recorded.',
  cure: 'Write valid JSON with a `name` and a semantic `version`.',
} as const;

export const packageChecks: readonly KitCheck<PackageContext>[] = [
  {
    id: 'plugin-field',
    title: 'package.json says that this is a plugin, and names its entry',
    severity: 'error',
    likelyCause: 'the field `agentgym` is missing, or stands under another name',
    why: 'The host finds plugins by this field; without it the package is installed and never seen.',
    cure: 'Add "agentgym": {"apiVersion": 1, "plugin": "./dist/index.js"} to package.json.',
    run: (context) => faultsOf(context, 'plugin-field', 'entry-path'),
  },
  {
    id: 'api-version',
    title: 'it is written for the API that this agentgym has',
    severity: 'error',
    likelyCause: 'the version of the package was written there, or a text instead of a number',
    why: 'The host refuses a plugin for another version of the API before it runs any of its code.',
    cure: 'Write the number that this agentgym has, and follow the change log where it rose.',
    run: (context) => faultsOf(context, 'api-version'),
  },
  {
    id: 'oclif-field',
    title: 'package.json has the field `oclif`',
    severity: 'error',
    likelyCause: 'it was never written: an empty object is enough',
    why: '`agentgym plugins link` and `install` take packages with an `oclif` field only.',
    cure: 'Add "oclif": {} to package.json.',
    run: (context) => faultsOf(context, 'oclif-field'),
  },
  {
    id: 'entry-file',
    title: 'the entry is there, and all that it leads to',
    severity: 'error',
    likelyCause: 'it was not built, or built to another folder',
    why: 'The host imports this file; where it is missing the plugin is left out with all it contributes.',
    cure: 'Build the package, and name a file inside of it that the build writes.',
    idle: (context) => {
      const unnamed = context.entry === undefined && faultsOf(context, 'entry-file').length === 0;
      return unnamed ? 'no entry is named' : undefined;
    },
    run: (context) =>
      context.entry === undefined
        ? faultsOf(context, 'entry-file')
        : context.graph().lost.map((lost) => `${imported(context, lost)}, which does not exist`),
  },
  {
    id: 'exports',
    title: 'the package can be imported by its name, and its package.json be read',
    severity: 'error',
    likelyCause: '`exports` is missing, or was copied from another package',
    why: 'Programs and tests import the package by its name; a door that leads elsewhere, or nowhere, breaks them.',
    cure: 'Let `exports["."]` lead to the entry that `agentgym.plugin` names, with "./package.json" beside it.',
    run: (context) => {
      const { root, json, entry } = context;
      if (json['exports'] === undefined) return ['package.json has no field `exports`'];
      const { code } = mainExport(context);
      const found: string[] = [];
      if (typeof code !== 'string') found.push('`exports["."]` names no file');
      else if (!isFile(resolve(root, code))) found.push(`\`exports["."]\` is ${code}, which does not exist`);
      else if (entry !== undefined && resolve(root, code) !== entry)
        found.push(`\`exports["."]\` is ${code}, and \`agentgym.plugin\` ${relative(root, entry)}`);
      if (objectOf(json['exports'])['./package.json'] === undefined) found.push('`exports` has no "./package.json"');
      return found;
    },
  },
  {
    id: 'module-type',
    title: 'its files are modules',
    severity: 'error',
    likelyCause: '"type": "module" is missing',
    why: 'A file with `import` and `export` in a package that is not a module is parsed twice, or refused by older Node.',
    cure: 'Add "type": "module" to package.json.',
    run: ({ json, entry }) =>
      json['type'] === 'module' || entry?.endsWith('.mjs') === true
        ? []
        : [`\`type\` is ${JSON.stringify(json['type']) ?? 'missing'}`],
  },
  {
    id: 'files',
    title: 'what npm packs is what runs, all of it and nothing else',
    severity: 'error',
    likelyCause: '`files` is missing, or its patterns take tests and sources along',
    why: 'Without the list npm packs sources, tests and whatever else lies about; with a wrong one the entry stays at home.',
    cure: 'List what runs, such as "files": ["/dist/**/*.js", "/dist/**/*.d.ts"], and look at `npm pack --dry-run`.',
    idle: withoutEntry,
    run: async (context) => {
      const { root, json } = context;
      if (!Array.isArray(json['files'])) return ['package.json has no list `files`'];
      const packed = await packedFiles(root);
      const missing = context
        .graph()
        .files.map((file) => relative(root, file).replaceAll('\\', '/'))
        .filter((file) => !packed.includes(file));
      const stray = packed.filter((file) => strayFile.test(file));
      return [
        ...missing.slice(0, 3).map((file) => `${file} runs, and is not packed`),
        ...stray.slice(0, 3).map((file) => `${file} is packed, and has no use there`),
      ];
    },
  },
  {
    id: 'engines',
    title: 'it says which Node it needs',
    severity: 'error',
    likelyCause: '`engines.node` is missing or no range',
    why: 'Where nothing is said of Node, an older one installs the package and fails in the middle of a run.',
    cure: 'Add "engines": {"node": ">=20.19"} to package.json.',
    run: ({ json }) => {
      const { node } = objectOf(json['engines']);
      if (typeof node !== 'string' || semver.validRange(node) === null)
        return [`\`engines.node\` is ${JSON.stringify(node) ?? 'missing'}, no range of versions`];
      return semver.satisfies(process.versions.node, node)
        ? []
        : [`\`engines.node\` is ${node}; this is Node ${process.versions.node}`];
    },
  },
  {
    id: 'host-peer',
    title: 'the host is an optional peer, over a wide range',
    severity: 'error',
    likelyCause:
      'npm install wrote it among the dependencies, or a caret range below 1.0.0 ends at the next minor version',
    why: 'As a dependency, a required peer or a narrow range, npm would install a second host beside the first, or refuse the plugin at the next minor version.',
    cure: 'Declare "peerDependencies": {"@agentgym/cli": ">=0.1.0 <2"} and mark it optional in `peerDependenciesMeta`; `apiVersion` is the gate.',
    run: ({ json, hostVersion }) => {
      const found: string[] = [];
      if (stringsOf(json['dependencies'])[HOST] !== undefined) found.push(`${HOST} stands in \`dependencies\``);
      const range = hostRange(json);
      if (range === undefined) return [...found, `${HOST} is missing in \`peerDependencies\``];
      if (objectOf(objectOf(json['peerDependenciesMeta'])[HOST])['optional'] !== true)
        found.push(`the peer ${HOST} is not marked optional`);
      if (semver.validRange(range) === null) return [...found, `${range} is no range of versions`];
      const refused = [hostVersion, semver.inc(hostVersion, 'minor'), '1.0.0', '1.9.0']
        .filter((version): version is string => version !== null && semver.lt(version, '2.0.0'))
        .find((version) => !semver.satisfies(version, range, { includePrerelease: true }));
      return refused === undefined ? found : [...found, `the range ${range} of the peer ${HOST} refuses ${refused}`];
    },
  },
  {
    id: 'host-import',
    title: 'no code of the host is imported',
    severity: 'error',
    likelyCause: 'an `import` that should be `import type`; with `verbatimModuleSyntax` the compiler tells them apart',
    why: 'A globally installed host cannot be found by import from a plugin: it would work in your checkout alone.',
    cure: 'Import types only (`import type`); take everything else from the `host` that create() is handed.',
    idle: withoutEntry,
    run: (context) =>
      context
        .graph()
        .outside.filter(({ specifier }) => packageOf(specifier) === HOST)
        .map((item) => imported(context, item)),
  },
  {
    id: 'plugin-import',
    title: 'no other plugin is imported',
    severity: 'error',
    likelyCause: 'code that two plugins share was left in one of them',
    why: 'The other plugin need not be installed, and two copies of it would not know of each other.',
    cure: 'Move what both need into a package of its own, or hand it over through a contract.',
    idle: withoutEntry,
    run: (context) =>
      context
        .graph()
        .outside.filter(({ specifier }) => {
          const name = packageOf(specifier);
          return name !== undefined && name !== context.json['name'] && isPlugin(context.root, name);
        })
        .map((item) => imported(context, item)),
  },
  {
    id: 'undeclared-import',
    title: 'every package that is imported is declared',
    severity: 'error',
    likelyCause: 'it stands in `devDependencies`, or in the workspace around the package',
    why: 'It is found here because something else installed it, and will be missing where your package is installed alone.',
    cure: 'Add it to `dependencies`.',
    idle: withoutEntry,
    run: (context) => {
      const { json } = context;
      const declared = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((field) =>
        Object.keys(objectOf(json[field])),
      );
      const missing = context.graph().outside.filter(({ specifier }) => {
        const name = packageOf(specifier);
        return name !== undefined && name !== HOST && name !== json['name'] && !declared.includes(name);
      });
      return missing.map((item) => imported(context, item));
    },
  },
  {
    id: 'up-to-date',
    title: 'what was built is newer than its sources',
    severity: 'error',
    likelyCause: 'sources were changed after the last build',
    why: 'What is checked, packed and run would not be what stands in the sources.',
    cure: 'Build again.',
    idle: (context) => {
      if (context.entry === undefined) return 'there is no entry to look at';
      return newest(join(context.root, 'src'), isSource) === 0 ? 'there are no sources' : undefined;
    },
    run: ({ root, entry }) => {
      const sources = newest(join(root, 'src'), isSource);
      const folder = join(root, relative(root, entry ?? root).split(/[\\/]/)[0] ?? '');
      // A compiler that finds nothing to write notes the time in its build information.
      const information = Math.max(newest(join(root, '.cache'), isBuildInformation), newest(root, isBuildInformation));
      const built = Math.max(
        newest(folder, (name) => /\.[cm]?js$/.test(name)),
        information,
      );
      return built >= sources
        ? []
        : [`the newest source is ${Math.ceil((sources - built) / 1000)} s younger than the newest built file`];
    },
  },
  {
    id: 'types',
    title: 'the package has types',
    severity: 'error',
    likelyCause: '`declaration` is off in tsconfig.json, or `exports["."].types` is missing',
    why: 'Whoever configures or tests the plugin in TypeScript gets no types, or an error.',
    cure: 'Emit declarations, and name them first in `exports["."].types`.',
    run: (context) => {
      const { types } = mainExport(context);
      if (typeof types !== 'string') return ['`exports["."].types` names no file'];
      return isFile(resolve(context.root, types)) ? [] : [`\`exports["."].types\` is ${types}, which does not exist`];
    },
  },
  {
    id: 'readme',
    title: 'there is a README with something in it',
    severity: 'error',
    likelyCause: 'it was left for later',
    why: 'The registry shows the README; without it nobody knows what the tasks are and what they need.',
    cure: 'Write README.md: what it is, how to install and use it, its options, where its data comes from.',
    run: ({ root }) => {
      const name = readdirSync(root).find((file) => /^readme(\.md)?$/i.test(file));
      if (name === undefined) return ['there is no README.md'];
      return readFileSync(join(root, name), 'utf8').trim().length >= 100 ? [] : [`${name} says nothing`];
    },
  },
  {
    id: 'license',
    title: 'there is a licence, in a file and by name',
    severity: 'error',
    likelyCause: 'it was left for later',
    why: 'What has no licence may not be used.',
    cure: 'Add a LICENSE file, and its SPDX identifier as `license` in package.json.',
    run: ({ root, json }) => [
      ...(typeof json['license'] === 'string' ? [] : ['package.json has no field `license`']),
      ...(readdirSync(root).some((file) => /^licen[sc]e(\.|$)/i.test(file)) ? [] : ['there is no file LICENSE']),
    ],
  },
  {
    id: 'install-scripts',
    title: 'nothing runs when it is installed',
    severity: 'warning',
    likelyCause: 'data or binaries are fetched by a script',
    why: 'A script of a stranger that runs at installation is announced, and many machines refuse it.',
    cure: 'Do the work at build time, or on first use in `host.cacheDirectory`.',
    run: ({ json }) =>
      ['preinstall', 'install', 'postinstall']
        .filter((name) => stringsOf(json['scripts'])[name] !== undefined)
        .map((name) => `\`scripts.${name}\` runs when it is installed`),
  },
];

const isBuildInformation = (name: string): boolean => name.endsWith('.tsbuildinfo');

/** Whether a package is a plugin: by its package.json where it is installed, else by the names we give plugins. */
function isPlugin(root: string, name: string): boolean {
  for (let folder = root; ; folder = resolve(folder, '..')) {
    const file = join(folder, 'node_modules', name, 'package.json');
    if (existsSync(file))
      return declarationOf(objectOf(JSON.parse(readFileSync(file, 'utf8'))))['plugin'] !== undefined;
    if (resolve(folder, '..') === folder) return /^@agentgym\/plugin-/.test(name);
  }
}
