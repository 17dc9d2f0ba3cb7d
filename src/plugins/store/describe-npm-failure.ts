import { AgentgymError } from '../../errors/agentgym-error.js';
import type { ErrorCode } from '../../errors/error-codes.js';
import { NpmFailure } from './run-npm.js';

const UNREACHABLE =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|EPIPE|ENOTCACHED|ERR_SOCKET_TIMEOUT|FETCH_ERROR|EIDLETIMEOUT|ERESPONSETIMEOUT|ECONNECTIONTIMEOUT|E5\d\d|E429|(UNABLE|SELF|DEPTH|CERT)_\w+)$/;

const WITHOUT_NETWORK = 'Without a network, install from a folder or a tarball: `agentgym plugins install ./FILE.tgz`.';

/** Whether another try or npm's cache may help: the registry was not reachable, or did not answer properly. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof NpmFailure && UNREACHABLE.test(error.code);
}

/** Whether the registry answered that it has no package with this name. */
export function isMissing(error: unknown, name: string): boolean {
  if (!(error instanceof NpmFailure) || error.code !== 'E404') return false;
  return error.message.includes(name.replace('/', '%2f')) || error.detail.includes(`'${name}@`);
}

/** Translates npm's failure into an error for users who install a plugin. Other errors are returned unchanged. */
export function describeNpmFailure(failure: unknown, what: string): unknown {
  if (!(failure instanceof NpmFailure)) return failure;
  const { code } = failure;
  const said = failure.message.split('\n')[0] ?? '';
  const error = (name: ErrorCode, message: string, hint?: string) =>
    new AgentgymError(name, { message: `${what}: ${message}`, hint, cause: failure });
  if (code === 'E404')
    return error('AG_PLUGIN_NOT_FOUND', `the registry does not have it, or lacks one of its dependencies (${said})`);
  if (code === 'ETARGET' || code === 'ENOVERSIONS')
    return error(
      'AG_PLUGIN_NOT_FOUND',
      `this version does not exist (${said})`,
      'Omit the version to get the newest one.',
    );
  if (/^(E401|E403|ENEEDAUTH|E407)$/.test(code)) {
    return error(
      'AG_PLUGIN_UNREACHABLE',
      `the registry refuses access (${said})`,
      'Log in with `npm login`, or ask the administrator of the registry.',
    );
  }
  if (/^(E5\d\d|E429)$/.test(code)) {
    return error(
      'AG_PLUGIN_UNREACHABLE',
      `the registry does not work (${said})`,
      `Try again later. ${WITHOUT_NETWORK}`,
    );
  }
  if (isUnreachable(failure)) {
    const hint = `Check the network and \`npm config get registry\`. ${WITHOUT_NETWORK}`;
    return error(
      'AG_PLUGIN_UNREACHABLE',
      `the registry cannot be reached, and npm's cache does not have it (${said})`,
      hint,
    );
  }
  if (code === 'EINTEGRITY') {
    const hint =
      'Do not use it: the download is damaged, or the package changed after publication. `npm cache verify` checks your own cache.';
    return error('AG_PLUGIN_INSTALL_FAILED', `the download differs from the published package (${said})`, hint);
  }
  if (/^(TAR_|Z_|EBADTAR|EMPTYARCHIVE)/.test(code))
    return error(
      'AG_PLUGIN_INSTALL_FAILED',
      `it is not a readable tarball (${said})`,
      'Create it again with `npm pack`.',
    );
  if (code === 'EBADENGINE') return error('AG_PLUGIN_REFUSED', `it needs another version of Node (${said})`);
  if (code.startsWith('EALLOW'))
    return error(
      'AG_PLUGIN_REFUSED',
      `it depends on a package outside the registry (${said})`,
      'Ask its author to depend on published packages.',
    );
  return error('AG_PLUGIN_INSTALL_FAILED', `npm failed with ${code}: ${failure.message}`);
}
