import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { simpleGit } from 'simple-git';

import { AgentgymError } from '../errors/agentgym-error.js';
import { gitEnvironment } from './git-environment.js';

/** The result of the request for a repository. */
export interface BegunRepository {
  /** Full id of the commit; null if there is no commit yet. */
  readonly commit: string | null;
  /** Why there is no commit, and what to do about it. */
  readonly note?: string;
}

/** @throws AgentgymError AG_GIT_FAILED if git cannot be run */
export async function requireGit(): Promise<void> {
  const { installed } = await simpleGit().version();
  if (installed) return;
  throw new AgentgymError('AG_GIT_FAILED', {
    message: 'git cannot be run',
    hint: 'Install git, or remove `--git`.',
  });
}

/**
 * Creates a repository in a folder and commits the given files. A folder inside another repository stays part of it,
 * and nothing is committed. If git does not know the user's name or address, the files stay staged, and no name is
 * invented.
 *
 * @throws AgentgymError AG_GIT_FAILED
 */
export async function beginRepository(
  folder: string,
  files: readonly string[],
  message: string,
): Promise<BegunRepository> {
  try {
    const git = simpleGit(folder, { timeout: { block: 10_000 } }).env(gitEnvironment());
    if (!existsSync(join(folder, '.git'))) {
      if (await git.checkIsRepo()) {
        const outer = (await git.revparse(['--show-toplevel'])).trim();
        return { commit: null, note: `The files are in the repository ${outer}: commit them there.` };
      }
      await git.init();
    }
    await git.add([...files]);
    for (const key of ['user.name', 'user.email']) {
      // `git config` exits with 1 and prints nothing if the key is not set.
      const value = await git.raw('config', '--get', key).catch(() => '');
      if (value.trim() !== '') continue;
      const note = `git does not know your ${key}, so nothing is committed: \`git config --global ${key} VALUE\`, then \`git commit\`.`;
      return { commit: null, note };
    }
    await git.raw('commit', '--message', message, '--', ...files);
    return { commit: (await git.revparse(['HEAD'])).trim() };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.trim() : String(cause);
    throw new AgentgymError('AG_GIT_FAILED', {
      message: `the files are written, but not committed in ${folder}: ${reason}`,
      hint: 'Fix the cause named by git, then run `git commit`.',
      cause,
    });
  }
}
