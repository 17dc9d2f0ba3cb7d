import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { runProgram } from './run-program.js';

/** What every call of npm needs to know. */
export interface NpmSettings {
  /** Absent: the one that npm is configured with. */
  readonly registry?: string;
  readonly signal: AbortSignal;
}

/** What npm did. */
export interface NpmResult {
  /** What it printed as JSON. */
  readonly document: unknown;
  /** It could not ask the registry for something, and took what its cache holds. */
  readonly stale: boolean;
}

/** What npm said went wrong. */
export class NpmFailure extends Error {
  override readonly name = 'NpmFailure';

  constructor(
    /** npm's own code, such as E404 or ECONNREFUSED; UNKNOWN where it named none. */
    readonly code: string,
    message: string,
    readonly detail: string,
  ) {
    super(message);
  }
}

/** Settings of a surrounding `npm run` or `npm exec` that are about another folder than ours. */
const FOREIGN_SETTINGS =
  /^npm_config_(workspaces?|global|location|dry_run|(local_)?prefix|package_lock.*|save.*|omit|include|only)$/i;

/** Waits for a registry that does not answer are short; whoever needs longer ones sets the same variables. */
const PATIENCE = {
  npm_config_fetch_timeout: '30000',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '500',
  npm_config_fetch_retry_maxtimeout: '2000',
};

/** npm 12 allows these sources only on request: allowed for packages named by the user, not for their dependencies. */
const ALLOWED = ['--allow-git=root', '--allow-remote=root', '--allow-file=root', '--allow-directory=root'];

/**
 * Runs the npm of @oclif/plugin-plugins in a folder, without scripts of packages unless `args` enables them.
 *
 * @throws NpmFailure; the reason of an aborted signal
 */
export async function runNpm(args: readonly string[], folder: string, settings: NpmSettings): Promise<NpmResult> {
  const flags = [
    '--json',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--no-progress',
    // The lines that say what came out of the cache because the registry did not answer.
    '--loglevel=http',
    ...ALLOWED,
  ];
  const registry = settings.registry === undefined ? [] : [`--registry=${settings.registry}`];
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN_SETTINGS.test(name)));
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [npmEntry(), ...flags, ...registry, `--prefix=${folder}`, ...args],
    { cwd: folder, environment: { ...PATIENCE, ...environment, HUSKY: '0' }, signal: settings.signal },
  );
  const document = parse(stdout);
  if (code === 0) return { document, stale: stderr.includes('(cache stale)') };
  const { error } = (document ?? {}) as { error?: { code?: string | number; summary?: string; detail?: string } };
  const named = /npm error code (\S+)/.exec(stderr)?.[1];
  const lines = stderr.split('\n').filter((line) => /^npm error (?!code |errno |A complete log)\S/.test(line));
  const said = lines.map((line) => line.slice('npm error '.length)).join('\n');
  throw new NpmFailure(
    String(error?.code ?? named ?? 'UNKNOWN'),
    error?.summary || said || `it ended with ${code}`,
    error?.detail ?? '',
  );
}

/** npm prints its document last, behind what scripts may have printed. */
function parse(stdout: string): unknown {
  for (const start of [0, stdout.search(/^[[{]$/m)]) {
    try {
      return JSON.parse(stdout.slice(Math.max(0, start))) as unknown;
    } catch {
      // No document there.
    }
  }
  return undefined;
}

function npmEntry(): string {
  const plugins = createRequire(import.meta.url).resolve('@oclif/plugin-plugins');
  const npm = createRequire(plugins).resolve('npm/package.json');
  return join(dirname(npm), 'bin', 'npm-cli.js');
}
