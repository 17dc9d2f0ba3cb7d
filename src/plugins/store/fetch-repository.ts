import { maxSatisfying } from 'semver';

import { AgentgymError } from '../../errors/agentgym-error.js';
import { hideSecrets, secretsOf } from '../../errors/hide-secrets.js';
import { runProgram, type ProgramResult } from '../../processes/run-program.js';
import { installFailure } from './install-failure.js';

/** Git must not ask for a password, and must not use protocols that run a program. */
const ENVIRONMENT = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
  GIT_SSH_COMMAND: process.env['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes -o ConnectTimeout=20',
};

/**
 * Checks out a branch, tag, commit or `semver:RANGE` of a repository into an empty folder, and returns the commit. No
 * code of the repository runs. With npm instead of git, its development dependencies would be installed and its
 * `prepare` would run.
 *
 * @throws AgentgymError AG_PLUGIN_NOT_FOUND, AG_PLUGIN_UNREACHABLE, AG_PLUGIN_INSTALL_FAILED
 */
export async function fetchRepository(
  url: string,
  reference: string,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const git = (...args: readonly string[]) =>
    runProgram(
      'git',
      ['-c', 'core.hooksPath=/dev/null', '-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=30', ...args],
      {
        cwd: folder,
        environment: { ...withoutGit(process.env), ...ENVIRONMENT },
        signal,
        failure: installFailure,
      },
    );
  const must = async (...args: readonly string[]) => {
    const result = await git(...args);
    if (result.code !== 0) throw describeGitFailure(result, url, reference);
    return result.stdout.trim();
  };
  const wanted = reference.startsWith('semver:')
    ? newestTag(await must('ls-remote', '--tags', '--refs', '--', url), reference.slice('semver:'.length), url)
    : reference || 'HEAD';
  if (wanted.startsWith('-')) throw describeGitFailure({ code: 1, stdout: '', stderr: '' }, url, reference);
  await must('init', '--quiet');
  const shallow = await git('fetch', '--quiet', '--depth', '1', '--', url, wanted);
  if (shallow.code === 0) await must('checkout', '--quiet', '--detach', 'FETCH_HEAD');
  else if (wanted === 'HEAD') {
    // A server without support for git can only send whole histories.
    await must('fetch', '--quiet', '--', url, wanted);
    await must('checkout', '--quiet', '--detach', 'FETCH_HEAD');
  } else {
    // Some servers do not send single commits: fetch everything and look for the commit.
    await must('fetch', '--quiet', '--', url, '+refs/heads/*:refs/remotes/*', '+refs/tags/*:refs/tags/*');
    if ((await git('rev-parse', '--verify', '--quiet', `${wanted}^{commit}`)).code !== 0)
      throw describeGitFailure(shallow, url, reference);
    await must('checkout', '--quiet', '--detach', wanted, '--');
  }
  return must('rev-parse', 'HEAD');
}

/** Removes the variables with which a git hook names its own repository, because git must work in `cwd`. */
function withoutGit(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => !/^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR)$/.test(name),
    ),
  );
}

function newestTag(listing: string, range: string, url: string): string {
  const tags = listing.split('\n').flatMap((line) => /refs\/tags\/(.+)$/.exec(line)?.[1] ?? []);
  const versions = new Map(tags.map((tag) => [tag.replace(/^v/, ''), tag]));
  const tag = versions.get(maxSatisfying([...versions.keys()], range) ?? '');
  if (tag !== undefined) return tag;
  const message = `no tag of ${hideSecrets(url)} is a version in ${range}`;
  throw new AgentgymError('AG_PLUGIN_NOT_FOUND', { message, hint: `Its tags: ${tags.join(', ') || 'none'}.` });
}

function describeGitFailure({ stderr }: ProgramResult, url: string, reference: string): AgentgymError {
  const said = hideSecrets(stderr.trim().split('\n').slice(-2).join(' '), secretsOf(url));
  const shown = hideSecrets(url);
  const where = `${shown}${reference && `#${reference}`}`;
  if (
    /could not resolve host|connection (refused|timed out|reset)|network is unreachable|timed out|authentication failed|could not read Username|Permission denied|returned error: [45]\d\d/i.test(
      stderr,
    )
  ) {
    return new AgentgymError('AG_PLUGIN_UNREACHABLE', {
      message: `the repository ${where} cannot be reached (${said})`,
      hint: `Check the network and your access: \`git ls-remote ${shown}\`.`,
    });
  }
  if (
    /not found|does not exist|does not appear to be a git repository|couldn't find remote ref|not our ref|unadvertised object/i.test(
      stderr,
    ) ||
    stderr === ''
  ) {
    return new AgentgymError('AG_PLUGIN_NOT_FOUND', {
      message: `there is no ${where}${said && ` (${said})`}`,
      hint: `\`git ls-remote ${shown}\` lists branches and tags; write a branch, tag or commit after #.`,
    });
  }
  return new AgentgymError('AG_PLUGIN_INSTALL_FAILED', { message: `git could not fetch ${where}: ${said}` });
}
