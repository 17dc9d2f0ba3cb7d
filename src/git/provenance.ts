import { createHash } from 'node:crypto';

import { simpleGit } from 'simple-git';

import { gitEnvironment } from './git-environment.js';

/** The state of a repository from which something was made. */
export interface GitProvenance {
  /** Full id of the commit; null in a repository without one. */
  readonly commit: string | null;
  /** Null if no branch is checked out. */
  readonly branch: string | null;
  /** Whether tracked files differ from the commit, or git neither tracks nor ignores some files. */
  readonly dirty: boolean;
  /** SHA-256 of the difference of tracked files to the commit, and of the names of untracked ones; null if clean. */
  readonly diffHash: string | null;
}

/**
 * The repository around a folder. It is null without a repository or without git, because provenance is only recorded
 * and never required.
 */
export async function gitProvenance(directory: string): Promise<GitProvenance | null> {
  try {
    // Optional locks are off, because reading a repository must not write to it.
    const git = simpleGit(directory, { timeout: { block: 10_000 }, allowEnvironment: ['GIT_OPTIONAL_LOCKS'] }).env({
      ...gitEnvironment(),
      GIT_OPTIONAL_LOCKS: '0',
    });
    if (!(await git.checkIsRepo())) return null;
    const commit = await git.revparse(['--verify', '--quiet', 'HEAD']).catch(() => '');
    const status = await git.status();
    const dirty = !status.isClean();
    return {
      commit: commit || null,
      branch: status.detached ? null : status.current,
      dirty,
      diffHash: dirty ? await hashDifference(git, commit !== '', status.not_added) : null,
    };
  } catch {
    return null;
  }
}

async function hashDifference(git: ReturnType<typeof simpleGit>, hasCommit: boolean, untracked: readonly string[]) {
  const difference = hasCommit ? await git.diff(['--binary', '--no-ext-diff', '--no-textconv', 'HEAD']) : '';
  return createHash('sha256')
    .update(difference)
    .update('\0')
    .update([...untracked].sort().join('\0'))
    .digest('hex');
}
