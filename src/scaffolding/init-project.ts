import { basename, resolve } from 'node:path';

import { isAgentgymError } from '../errors/agentgym-error.js';
import { beginRepository, requireGit, type BegunRepository } from '../git/begin-repository.js';
import type { Answers, Questions } from './ask.js';
import { checkTarget } from './check-target.js';
import { fillTemplate } from './fill-template.js';
import { nextCommands } from './next-commands.js';
import { nameOfFolder, parseProjectName } from './project-name.js';
import { findTemplate, hostDependency, packageRoot, templates } from './template.js';
import { writeFiles } from './write-files.js';

/** The request of `agentgym init`. */
export interface InitRequest {
  /** Absent: the last part of the name, or the current folder if the name is absent, too. */
  readonly directory?: string;
  readonly template?: string;
  readonly name?: string;
  /** Asks for missing values; absent: defaults are used. */
  readonly ask?: (questions: Questions, signal: AbortSignal) => Promise<Answers>;
  readonly force: boolean;
  readonly git: boolean;
  readonly cwd: string;
  /** Version of the running host. */
  readonly version: string;
  readonly signal: AbortSignal;
}

/** The created project. */
export interface InitResult {
  readonly directory: string;
  readonly template: string;
  readonly packageName: string;
  /** Name in recipes. */
  readonly name: string;
  /** Relative to the directory, with slashes. */
  readonly files: readonly string[];
  readonly git: BegunRepository | null;
  readonly next: readonly string[];
}

/**
 * Makes a project, a plugin or a recipe from a template. Everything is checked before anything is written.
 *
 * @throws AgentgymError AG_INIT_TEMPLATE, AG_INIT_NAME, AG_INIT_TARGET, AG_GIT_FAILED, AG_INTERRUPTED
 */
export async function initProject(request: InitRequest): Promise<InitResult> {
  const { directory, force, git, cwd, version, signal } = request;
  if (request.template !== undefined) findTemplate(request.template);
  const chosen = await choose(request);
  signal.throwIfAborted();
  const template = findTemplate(chosen.template);
  const name = parseProjectName(chosen.name, template);
  const ownFolder = name.packageName.slice(name.packageName.indexOf('/') + 1);
  const target = resolve(cwd, directory ?? (chosen.named ? ownFolder : '.'));
  if (git) await requireGit();
  const root = packageRoot();
  const files = await fillTemplate(template, { ...name, host: hostDependency(root, version, target) }, root);
  const paths = files.map(({ path }) => path);
  await checkTarget(target, paths, force);
  await writeFiles(target, files, signal);
  const message = `Begin ${name.packageName} from agentgym's ${template.name} template`;
  return {
    directory: target,
    template: template.name,
    ...name,
    files: paths,
    git: git ? await beginRepository(target, paths, message) : null,
    next: nextCommands(template, name, target, cwd),
  };
}

/**
 * Chooses template and name. `named` is false if the name comes from a folder: it then does not decide where to write.
 */
async function choose(request: InitRequest): Promise<Answers & { named: boolean }> {
  const { directory, template, name, ask, cwd, signal } = request;
  const suggestName = (chosen: string): string => {
    const folder = nameOfFolder(basename(resolve(cwd, directory ?? '.')));
    const { prefix = '' } = findTemplate(chosen);
    return directory === undefined && ask !== undefined ? `${prefix}mine` : (folder ?? `${prefix}mine`);
  };
  if (ask !== undefined && (template === undefined || name === undefined)) {
    const complaint = (given: string, chosen: string): string | undefined => {
      try {
        parseProjectName(given, findTemplate(chosen));
        return undefined;
      } catch (error) {
        if (isAgentgymError(error)) return error.message;
        throw error;
      }
    };
    const answers = await ask({ templates, template, name, suggestName, complaint }, signal);
    return { ...answers, named: true };
  }
  const chosen = template ?? templates[0].name;
  return { template: chosen, name: name ?? suggestName(chosen), named: name !== undefined };
}
