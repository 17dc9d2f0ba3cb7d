import { isBuiltin } from 'node:module';

import { AgentgymError } from '../errors/agentgym-error.js';
import type { Template } from './template.js';

/** The names of something that `init` makes. */
export interface ProjectName {
  /** Name of the package, such as `@me/env-mine`. */
  readonly packageName: string;
  /** Name in recipes, such as `mine`: lower case, words joined by hyphens. */
  readonly name: string;
}

const MAXIMUM_LENGTH = 214;
/** Maximum length of the name in recipes. Names of files and lines of the templates contain it. */
const MAXIMUM_OWN_LENGTH = 48;

/** Names that npm or Node.js reserve. */
const RESERVED = ['node_modules', 'favicon.ico'];

/**
 * Checks a name by the rules of npm and derives the name of the contribution: `@me/plugin-env-mine`, `env-mine` and
 * `mine` all mean the environment `mine`.
 *
 * @throws AgentgymError AG_INIT_NAME
 */
export function parseProjectName(given: string, template: Template): ProjectName {
  const complaint = complaintAbout(given);
  if (complaint !== undefined) throw badName(given, complaint, suggest(given, template));
  const bare = given
    .slice(given.indexOf('/') + 1)
    .replace(/^(agentgym-)?(plugin-)?/, '')
    .replace(new RegExp(`^${template.prefix ?? ''}`), '');
  const name = asWords(bare);
  if (name.length > MAXIMUM_OWN_LENGTH) {
    const complaint = `recipes would call it \`${name}\`, and that has more than ${MAXIMUM_OWN_LENGTH} characters`;
    throw badName(given, complaint, suggest('', template));
  }
  if (name !== '') return { packageName: given, name };
  throw badName(given, 'it leaves no characters for the name in recipes', suggest('', template));
}

/**
 * The name that a folder suggests: unchanged if npm accepts it, otherwise corrected. Undefined if no part of it is
 * usable.
 */
export function nameOfFolder(folder: string): string | undefined {
  const lower = folder.toLowerCase();
  if (complaintAbout(lower) === undefined) return lower;
  const words = asWords(lower);
  return complaintAbout(words) === undefined ? words : undefined;
}

function complaintAbout(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (name.length > MAXIMUM_LENGTH) return `it has more than ${MAXIMUM_LENGTH} characters`;
  if (name !== name.toLowerCase()) return 'it has capital letters';
  const part = '[a-z0-9][a-z0-9._-]*';
  if (!new RegExp(`^(@${part}/)?${part}$`).test(name)) {
    return 'it must contain only small letters, digits, hyphens, dots and underscores, and start with a letter or a digit';
  }
  const bare = name.slice(name.indexOf('/') + 1);
  return RESERVED.includes(bare) || isBuiltin(name) ? 'npm or Node.js reserves it' : undefined;
}

/** Lower-case words joined by hyphens; may be empty. */
function asWords(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}

function suggest(given: string, { prefix, name }: Template): string {
  const words = asWords(given).slice(0, 60);
  if (words !== '' && complaintAbout(words) === undefined) return words;
  return `${prefix ?? ''}my-${name}`;
}

function badName(given: string, complaint: string, suggestion: string): AgentgymError {
  return new AgentgymError('AG_INIT_NAME', {
    message: `"${given.slice(0, 80)}" is not a valid package name: ${complaint}`,
    hint: `Choose another, such as \`--name ${suggestion}\`.`,
  });
}
