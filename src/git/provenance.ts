import { createHash } from 'node:crypto';

import { simpleGit } from 'simple-git';

import { gitEnvironment } from './git-environment.js';

/** Which state of a repository something was made from. */
export interface GitProvenance {
  /** Full id of the commit; null in a repository without one. */
  readonly commit: string | null;
  /** Null where no branch is checked out. */
  readonly branch: string | null;
  /** Tracked files differ from the commit, or there are files that git neither tracks nor ignores. */
  readonly dirty: boolean;
  /** SHA-256 of the difference of tracked files to the commit, and of the names of untracked ones; null where clean. */
  readonly diffHash: string | null;
}

/** The repository around a folder; null where there is none, or no git: provenance is a record, never a condition. */
export async function gitProvenance(directory: string): Promise<GitProvenance | null> {
  try {
    // Optional locks off: looking at a repository must not write to it.
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
