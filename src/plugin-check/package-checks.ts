// Checks of a plugin's package that run none of its code.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';

import semver from 'semver';

import { readWholeFileSync } from '../files/read-whole-file.js';
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
  entry === undefined ? 'there is no entry to check' : undefined;

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

/** Time of the newest change among the files accepted by `wanted`; 0 if there are none. */
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
  title: 'package.json is valid and has a name and a version',
  likelyCause: 'an extra comma, or a folder without a package',
  why: 'A package without a valid package.json, a name and a version cannot be installed or recorded.',
  cure: 'Write valid JSON with a `name` and a semantic `version`.',
} as const;

export const packageChecks: readonly KitCheck<PackageContext>[] = [
  {
    id: 'plugin-field',
    title: 'package.json declares the plugin and its entry file',
    severity: 'error',
    likelyCause: 'the field `agentgym` is missing or misspelt',
    why: 'The host finds plugins by this field. Without it the package is installed but never used.',
    cure: 'Add "agentgym": {"apiVersion": 1, "plugin": "./dist/index.js"} to package.json.',
    run: (context) => faultsOf(context, 'plugin-field', 'entry-path'),
  },
  {
    id: 'api-version',
    title: 'the declared API version is the version of this agentgym',
    severity: 'error',
    likelyCause: '`apiVersion` contains the version of the package, or text instead of a number',
    why: 'The host refuses a plugin with another API version before it runs any of its code.',
    cure: 'Write the API version of this agentgym. If it has changed, follow the change log.',
    run: (context) => faultsOf(context, 'api-version'),
  },
  {
    id: 'oclif-field',
    title: 'package.json has the field `oclif`',
    severity: 'error',
    likelyCause: 'the field was never added; an empty object is enough',
    why: '`agentgym plugins link` and `install` accept only packages with an `oclif` field.',
    cure: 'Add "oclif": {} to package.json.',
    run: (context) => faultsOf(context, 'oclif-field'),
  },
  {
    id: 'entry-file',
    title: 'the entry file and all files that it imports exist',
    severity: 'error',
    likelyCause: 'the package was not built, or was built to another folder',
    why: 'The host imports this file. If it is missing, the plugin and all its contributions are left out.',
    cure: 'Build the package, and name a file inside it that the build writes.',
    idle: (context) => {
      const unnamed = context.entry === undefined && faultsOf(context, 'entry-file').length === 0;
      return unnamed ? 'package.json names no entry' : undefined;
    },
    run: (context) =>
      context.entry === undefined
        ? faultsOf(context, 'entry-file')
        : context.graph().lost.map((lost) => `${imported(context, lost)}, which does not exist`),
  },
  {
    id: 'exports',
    title: 'the package can be imported by its name, and its package.json can be read',
    severity: 'error',
    likelyCause: '`exports` is missing, or was copied from another package',
    why: 'Programs and tests import the package by its name. A wrong or missing export breaks them.',
    cure: 'Let `exports["."]` point to the file in `agentgym.plugin`, and add "./package.json".',
    run: (context) => {
      const { root, json, entry } = context;
      if (json['exports'] === undefined) return ['package.json has no field `exports`'];
      const { code } = mainExport(context);
      const found: string[] = [];
      if (typeof code !== 'string') found.push('`exports["."]` names no file');
      else if (!isFile(resolve(root, code))) found.push(`\`exports["."]\` is ${code}, which does not exist`);
      else if (entry !== undefined && resolve(root, code) !== entry)
        found.push(`\`exports["."]\` is ${code}, but \`agentgym.plugin\` is ${relative(root, entry)}`);
      if (objectOf(json['exports'])['./package.json'] === undefined) found.push('`exports` has no "./package.json"');
      return found;
    },
  },
  {
    id: 'module-type',
    title: 'the package is an ES module',
    severity: 'error',
    likelyCause: '"type": "module" is missing',
    why: 'Node parses a file with `import` and `export` twice if its package is not a module; older versions of Node refuse it.',
    cure: 'Add "type": "module" to package.json.',
    run: ({ json, entry }) =>
      json['type'] === 'module' || entry?.endsWith('.mjs') === true
        ? []
        : [`\`type\` is ${JSON.stringify(json['type']) ?? 'missing'}`],
  },
  {
    id: 'files',
    title: 'npm packs all files that the plugin needs at run time, and no others',
    severity: 'error',
    likelyCause: '`files` is missing, or its patterns include tests and sources',
    why: 'Without the list npm packs sources, tests and all other files. With a wrong list the entry file is missing in the package.',
    cure: 'List the run-time files, such as "files": ["/dist/**/*.js", "/dist/**/*.d.ts"], and check with `npm pack --dry-run`.',
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
        ...missing.slice(0, 3).map((file) => `the plugin needs ${file}, but npm does not pack it`),
        ...stray.slice(0, 3).map((file) => `npm packs ${file}, but the plugin does not need it`),
      ];
    },
  },
  {
    id: 'engines',
    title: 'package.json declares the required versions of Node',
    severity: 'error',
    likelyCause: '`engines.node` is missing or is not a version range',
    why: 'Without this field an older Node installs the package and fails in the middle of a run.',
    cure: 'Add "engines": {"node": ">=20.19"} to package.json.',
    run: ({ json }) => {
      const { node } = objectOf(json['engines']);
      if (typeof node !== 'string' || semver.validRange(node) === null)
        return [`\`engines.node\` is ${JSON.stringify(node) ?? 'missing'}, which is not a version range`];
      return semver.satisfies(process.versions.node, node)
        ? []
        : [`\`engines.node\` is ${node}; this is Node ${process.versions.node}`];
    },
  },
  {
    id: 'host-peer',
    title: 'the host is an optional peer dependency with a wide version range',
    severity: 'error',
    likelyCause:
      'npm install added it to the dependencies, or a caret range below 1.0.0 ends at the next minor version',
    why: 'With a dependency, a required peer or a narrow range, npm would install a second host or refuse the plugin at the next minor version.',
    cure: 'Declare "peerDependencies": {"@agentgym/cli": ">=0.1.0 <2"} and mark it optional in `peerDependenciesMeta`. `apiVersion` decides compatibility.',
    run: ({ json, hostVersion }) => {
      const found: string[] = [];
      if (stringsOf(json['dependencies'])[HOST] !== undefined) found.push(`${HOST} is in \`dependencies\``);
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
    id: 'host-import',
    title: 'the plugin imports no code of the host',
    severity: 'error',
    likelyCause: 'an `import` that should be `import type`; with `verbatimModuleSyntax` the compiler separates them',
    why: 'A plugin cannot import a globally installed host. The import would work only in your checkout.',
    cure: 'Import only types (`import type`). create() gets everything else from its argument `host`.',
    idle: withoutEntry,
    run: (context) =>
      context
        .graph()
        .outside.filter(({ specifier }) => packageOf(specifier) === HOST)
        .map((item) => imported(context, item)),
  },
  {
    id: 'plugin-import',
    title: 'the plugin imports no other plugin',
    severity: 'error',
    likelyCause: 'two plugins share code that lies in one of them',
    why: 'The other plugin may not be installed, and two copies of it would not share state.',
    cure: 'Move the shared code into its own package, or pass the data through a contract.',
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
    title: 'package.json declares every imported package',
    severity: 'error',
    likelyCause: 'the package is only in `devDependencies`, or only in the surrounding workspace',
    why: 'The import works here because another package installed it. It fails where your package is installed alone.',
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
    title: 'the built files are newer than their sources',
    severity: 'error',
    likelyCause: 'sources changed after the last build',
    why: 'The checked, packed and executed code would differ from the sources.',
    cure: 'Build the package again.',
    idle: (context) => {
      if (context.entry === undefined) return 'there is no entry to check';
      return newest(join(context.root, 'src'), isSource) === 0 ? 'there are no sources' : undefined;
    },
    run: ({ root, entry }) => {
      const sources = newest(join(root, 'src'), isSource);
      const folder = join(root, relative(root, entry ?? root).split(/[\\/]/)[0] ?? '');
      // If no output changes, the compiler only updates its build information.
      const information = Math.max(newest(join(root, '.cache'), isBuildInformation), newest(root, isBuildInformation));
      const built = Math.max(
        newest(folder, (name) => /\.[cm]?js$/.test(name)),
        information,
      );
      return built >= sources
        ? []
        : [`the newest source is ${Math.ceil((sources - built) / 1000)} s newer than the newest built file`];
    },
  },
  {
    id: 'types',
    title: 'the package has type declarations',
    severity: 'error',
    likelyCause: '`declaration` is off in tsconfig.json, or `exports["."].types` is missing',
    why: 'Users who configure or test the plugin in TypeScript get no types, or an error.',
    cure: 'Emit declarations, and put them first in `exports["."].types`.',
    run: (context) => {
      const { types } = mainExport(context);
      if (typeof types !== 'string') return ['`exports["."].types` names no file'];
      return isFile(resolve(context.root, types)) ? [] : [`\`exports["."].types\` is ${types}, which does not exist`];
    },
  },
  {
    id: 'readme',
    title: 'the package has a README with content',
    severity: 'error',
    likelyCause: 'the README has not been written yet',
    why: 'The registry shows the README. Without it users do not know the tasks and their requirements.',
    cure: 'Write README.md: purpose, installation, usage, options, sources of the data.',
    run: ({ root }) => {
      const name = readdirSync(root).find((file) => /^readme(\.md)?$/i.test(file));
      if (name === undefined) return ['there is no README.md'];
      return readWholeFileSync(join(root, name)).toString().trim().length >= 100 ? [] : [`${name} has almost no text`];
    },
  },
  {
    id: 'license',
    title: 'the package has a licence file and a licence identifier',
    severity: 'error',
    likelyCause: 'the licence has not been added yet',
    why: 'Nobody may use a package without a licence.',
    cure: 'Add a LICENSE file, and its SPDX identifier as `license` in package.json.',
    run: ({ root, json }) => [
      ...(typeof json['license'] === 'string' ? [] : ['package.json has no field `license`']),
      ...(readdirSync(root).some((file) => /^licen[sc]e(\.|$)/i.test(file)) ? [] : ['there is no file LICENSE']),
    ],
  },
  {
    id: 'install-scripts',
    title: 'the package has no install scripts',
    severity: 'warning',
    likelyCause: 'a script downloads data or binaries',
    why: 'agentgym announces install scripts, and many machines refuse them.',
    cure: 'Do the work at build time, or on first use in `host.cacheDirectory`.',
    run: ({ json }) =>
      ['preinstall', 'install', 'postinstall']
        .filter((name) => stringsOf(json['scripts'])[name] !== undefined)
        .map((name) => `\`scripts.${name}\` runs at installation`),
  },
];

const isBuildInformation = (name: string): boolean => name.endsWith('.tsbuildinfo');

/** Whether a package is a plugin: by its package.json if it is installed, otherwise by its name. */
function isPlugin(root: string, name: string): boolean {
  for (let folder = root; ; folder = resolve(folder, '..')) {
    const file = join(folder, 'node_modules', name, 'package.json');
    if (existsSync(file))
      return declarationOf(objectOf(JSON.parse(readWholeFileSync(file).toString())))['plugin'] !== undefined;
    if (resolve(folder, '..') === folder) return /^@agentgym\/plugin-/.test(name);
  }
}
