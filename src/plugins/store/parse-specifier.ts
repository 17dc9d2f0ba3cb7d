import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { hideSecrets } from '../../errors/hide-secrets.js';

/** The source of a plugin. */
export type PluginSpecifier =
  /** A package of the registry: its possible names, in the order in which they are tried, and a range or tag. */
  | { readonly type: 'registry'; readonly names: readonly string[]; readonly range: string }
  | { readonly type: 'folder' | 'tarball'; readonly path: string }
  /** A tarball on a web server. */
  | { readonly type: 'url'; readonly url: string }
  /** A git repository in a form that git accepts, and a branch, tag or commit. Empty: its default branch. */
  | { readonly type: 'repository'; readonly url: string; readonly reference: string };

const HOSTS = { github: 'github.com', gitlab: 'gitlab.com', bitbucket: 'bitbucket.org' } as const;

const NAME = /^(?<name>(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@(?<range>[^/:@\\]+))?$/;

/**
 * Reads the argument of `plugins install`. A word is first a friendly name (`env-babyai` for
 * `@agentgym/plugin-env-babyai`), then a name of npm. An existing path is always read as that path, even if it looks
 * like `user/repository`.
 *
 * @param cwd base of relative paths
 * @throws AgentgymError AG_PLUGIN_NOT_FOUND
 */
export function parseSpecifier(text: string, cwd: string): PluginSpecifier {
  const repository = text.startsWith('file:') ? undefined : parseRepository(text, cwd);
  if (repository !== undefined) return repository;
  if (/^https?:\/\//.test(text)) return { type: 'url', url: text };
  if (looksLikePath(text)) return parsePath(text, cwd);
  const { name, range = 'latest' } = NAME.exec(text)?.groups ?? {};
  if (name === undefined) {
    throw new AgentgymError('AG_PLUGIN_NOT_FOUND', {
      message: `\`${hideSecrets(text)}\` is not a package name, a path or a git URL`,
    });
  }
  return { type: 'registry', names: packageNames(name), range: range.trim() };
}

/** The packages that a name can mean, the package of the friendly name first. */
export function packageNames(name: string): readonly string[] {
  return name.startsWith('@') ? [name] : [`@agentgym/plugin-${name}`, name];
}

/** `env-babyai` for `@agentgym/plugin-env-babyai`; any other name is unchanged. */
export function friendlyName(name: string): string {
  return /^@agentgym\/plugin-(.+)$/.exec(name)?.[1] ?? name;
}

function looksLikePath(text: string): boolean {
  return (
    /^(file:|\.{0,2}[\\/]|\.{1,2}$|~\/|[a-zA-Z]:[\\/])/.test(text) || /\.(tgz|tar\.gz)$/.test(text) || isSlug(text)
  );
}

/** `a/b`: a path below the current folder, or a repository of GitHub. */
function isSlug(text: string): boolean {
  return !text.startsWith('@') && text.includes('/') && !text.includes(':');
}

function parsePath(text: string, cwd: string): PluginSpecifier {
  const bare = text.startsWith('file://') ? pathOfUrl(text) : text.replace(/^file:/, '');
  const path = bare.startsWith('~/') ? join(homedir(), bare.slice(2)) : resolve(cwd, bare);
  if (!existsSync(path)) {
    throw new AgentgymError('AG_PLUGIN_NOT_FOUND', {
      message: `there is no file or folder ${path}`,
      hint: 'Paths are relative to the current folder. For a package of the registry, give its name.',
      file: path,
    });
  }
  return { type: statSync(path).isDirectory() ? 'folder' : 'tarball', path };
}

function pathOfUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch (cause) {
    const message = `\`${hideSecrets(text)}\` is not the address of a file on this machine`;
    throw new AgentgymError('AG_PLUGIN_NOT_FOUND', { message, hint: 'Write it as file:///FOLDER/FILE.', cause });
  }
}

function parseRepository(text: string, cwd: string): PluginSpecifier | undefined {
  const [address = '', ...rest] = text.split('#');
  const reference = rest.join('#');
  const found = (url: string): PluginSpecifier => ({ type: 'repository', url, reference });
  if (/^git\+(https?|ssh|file|git):/.test(address)) return found(address.slice('git+'.length));
  if (/^(git|ssh):\/\//.test(address) || /^[\w.-]+@(?!npm:)[\w.-]+:/.test(address)) return found(address);
  if (/^https?:\/\/.+\.git$/.test(address)) return found(address);
  if (/^https:\/\/(github\.com|gitlab\.com|bitbucket\.org)\/[^/]+\/[^/]+\/?$/.test(address)) return found(address);
  const hosted = /^(github|gitlab|bitbucket):([^/:]+\/.+)$/.exec(address);
  if (hosted !== null) {
    const host = HOSTS[hosted[1] as keyof typeof HOSTS];
    return found(`https://${host}/${hosted[2]?.replace(/\.git$/, '')}.git`);
  }
  const slug = /^[\w-]+\/[\w.-]+$/.test(address) && !/\.(tgz|tar\.gz)$/.test(address);
  if (slug && !existsSync(resolve(cwd, text))) return found(`https://github.com/${address.replace(/\.git$/, '')}.git`);
  return undefined;
}
