import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { hideSecrets, secretsOf } from '../../errors/hide-secrets.js';
import { npmSecrets } from './npm-secrets.js';
import { runProgram } from '../../processes/run-program.js';
import { installFailure } from './install-failure.js';

/** Settings of every call of npm. */
export interface NpmSettings {
  /** Absent: the registry in npm's configuration. */
  readonly registry?: string;
  readonly signal: AbortSignal;
}

/** The result of a call of npm. */
export interface NpmResult {
  /** The JSON that npm printed. */
  readonly document: unknown;
  /** True if npm could not reach the registry for something, and used its cache. */
  readonly stale: boolean;
}

/** An error that npm reported. */
export class NpmFailure extends Error {
  override readonly name = 'NpmFailure';

  constructor(
    /** npm's own code, such as E404 or ECONNREFUSED; UNKNOWN if it named no code. */
    readonly code: string,
    message: string,
    readonly detail: string,
  ) {
    super(message);
  }
}

/** Settings of a surrounding `npm run` or `npm exec` that apply to another folder. */
const FOREIGN_SETTINGS =
  /^npm_config_(workspaces?|global|location|dry_run|(local_)?prefix|package_lock.*|save.*|omit|include|only)$/i;

/** Timeouts for a registry that does not answer are short. Users can set the same variables for longer ones. */
const PATIENCE = {
  npm_config_fetch_timeout: '30000',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '500',
  npm_config_fetch_retry_maxtimeout: '2000',
};

/** npm 12 allows these sources only on request. Packages named by the user may use them, their dependencies may not. */
const ALLOWED = ['--allow-git=root', '--allow-remote=root', '--allow-file=root', '--allow-directory=root'];

/**
 * Runs the npm of @oclif/plugin-plugins in a folder, without scripts of packages unless `args` enables them.
 *
 * @throws NpmFailure without secrets of the arguments or of npm's configuration; the reason of an aborted signal
 */
export async function runNpm(args: readonly string[], folder: string, settings: NpmSettings): Promise<NpmResult> {
  const flags = [
    '--json',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--no-progress',
    // Its log would keep the addresses of all requests, with signatures in their queries.
    '--logs-max=0',
    // At this level, npm prints what came from the cache because the registry did not answer.
    '--loglevel=http',
    ...ALLOWED,
  ];
  const registry = settings.registry === undefined ? [] : [`--registry=${settings.registry}`];
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN_SETTINGS.test(name)));
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [npmEntry(), ...flags, ...registry, `--prefix=${folder}`, ...args],
    {
      cwd: folder,
      environment: { ...PATIENCE, ...environment, HUSKY: '0' },
      signal: settings.signal,
      failure: installFailure,
    },
  );
  const document = parse(stdout);
  if (code === 0) return { document, stale: stderr.includes('(cache stale)') };
  const { error } = (document ?? {}) as { error?: { code?: string | number; summary?: string; detail?: string } };
  const named = /npm error code (\S+)/.exec(stderr)?.[1];
  const lines = stderr.split('\n').filter((line) => /^npm error (?!code |errno |A complete log)\S/.test(line));
  const said = lines.map((line) => line.slice('npm error '.length)).join('\n');
  const secrets = [...args.flatMap(secretsOf), ...(await npmSecrets(environment))];
  throw new NpmFailure(
    String(error?.code ?? named ?? 'UNKNOWN'),
    hideSecrets(error?.summary || said || `it ended with ${code}`, secrets),
    hideSecrets(error?.detail ?? '', secrets),
  );
}

/** npm prints its document last, after possible output of scripts. */
function parse(stdout: string): unknown {
  for (const start of [0, stdout.search(/^[[{]$/m)]) {
    try {
      return JSON.parse(stdout.slice(Math.max(0, start))) as unknown;
    } catch {
      // There is no document at this place.
    }
  }
  return undefined;
}

function npmEntry(): string {
  const plugins = createRequire(import.meta.url).resolve('@oclif/plugin-plugins');
  const npm = createRequire(plugins).resolve('npm/package.json');
  return join(dirname(npm), 'bin', 'npm-cli.js');
}
