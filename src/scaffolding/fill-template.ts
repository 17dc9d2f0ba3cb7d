// Templates are real code that is checked, linted and tested in place. So `init` replaces ordinary names and values:
// `template-name` is the name of the contribution, and package.json is changed as JSON.
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

import { AgentgymError } from '../errors/agentgym-error.js';
import type { ProjectName } from './project-name.js';
import type { Template } from './template.js';

/** A file to be written. */
export interface ScaffoldFile {
  /** Relative to the target, with slashes. */
  readonly path: string;
  readonly content: string;
}

/** The values for a template. */
export interface TemplateValues extends ProjectName {
  /** The host that the new package depends on: a version, or a folder. */
  readonly host: string;
}

const PLACEHOLDER = 'template-name';

/**
 * Files that templates store under another name. npm leaves `.gitignore` out of every package, and renames it to
 * `.npmignore` in some. Some bundlers and publint read a package inside a package as a part of it.
 */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['_gitignore', '.gitignore'],
  ['_package.json', 'package.json'],
]);

/** Tools create these folders when a template is built in a checkout. */
const LEFT_OUT = ['node_modules', 'dist', 'runs'];

/** The files of a filled template, sorted by path. Packages also get the licence of this package. */
export async function fillTemplate(
  { name, isPackage, prefix }: Template,
  values: TemplateValues,
  root: string,
): Promise<ScaffoldFile[]> {
  const folder = join(root, 'templates', name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep))
    .filter((parts) => !LEFT_OUT.some((part) => parts.includes(part)));
  const ownName = prefix === undefined ? PLACEHOLDER : `${prefix}${PLACEHOLDER}`;
  const packageName = prefix === undefined ? values.name : values.packageName;
  const files = paths.map(async (parts): Promise<ScaffoldFile> => {
    const text = await readFile(join(folder, ...parts), 'utf8');
    const path = parts.map((part) => RENAMED.get(part) ?? part.replace(PLACEHOLDER, values.name)).join('/');
    if (path === 'package.json') return { path, content: fillPackage(text, values) };
    return { path, content: text.replaceAll(ownName, packageName).replaceAll(PLACEHOLDER, values.name) };
  });
  if (isPackage) files.push(readFile(join(root, 'LICENSE'), 'utf8').then((content) => ({ path: 'LICENSE', content })));
  const filled = (await Promise.all(files)).sort((a, b) => (a.path < b.path ? -1 : 1));
  const twice = filled.find(({ path }, i) => path === filled[i - 1]?.path);
  if (twice === undefined) return filled;
  throw new AgentgymError('AG_INIT_NAME', {
    message: `the name \`${values.name}\` is not available: the template already has a file ${twice.path}`,
    hint: `Choose another, such as \`--name ${prefix ?? ''}my-${values.name}\`.`,
  });
}

/** Sets the name of the package, and the host as a development dependency. */
function fillPackage(text: string, { packageName, name, host }: TemplateValues): string {
  const json = JSON.parse(text.replaceAll(`/${PLACEHOLDER}.`, `/${name}.`)) as {
    name: string;
    devDependencies: Record<string, string>;
  };
  json.name = packageName;
  json.devDependencies['@agentgym/cli'] = host;
  return `${JSON.stringify(json, null, 2)}\n`;
}
