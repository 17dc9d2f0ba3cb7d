// A real registry on the loopback interface. It holds only packages that tests publish there. All others come through
// it from the registry in the npm configuration of this machine.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { stringify } from 'yaml';

import { repository } from '../architecture/source-files.js';

const run = promisify(execFile);

const START_SECONDS = 60;
const STOP_SECONDS = 10;

/** Packages that only tests publish: they are never requested from the registry behind. */
const LOCAL = ['@agentgym/*', '@somebody/*', '@fixture/*', 'fixture-*', 'agentgym-plugin-*'];

/** A running registry, and how to reach it. */
export interface LocalRegistry {
  /** Ends with a slash. */
  readonly url: string;
  /**
   * Replaces variables of child processes: a separate home, npm cache and npm configuration. The configuration names
   * this registry and a made-up token: without one npm refuses to publish, even if the registry asks for none.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** Requests to the registry so far, such as `GET /@agentgym%2fcli`. */
  requests(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Starts an empty registry on a free port. Throws with its output if it does not answer within a minute. */
export async function startLocalRegistry(): Promise<LocalRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'agentgym-registry-'));
  const url = `http://127.0.0.1:${await freePort()}/`;
  const log = join(folder, 'log.jsonl');
  const configuration = join(folder, 'verdaccio.yaml');
  await writeFile(configuration, stringify(await configurationOf(folder, log)));
  // Starts node itself, not npx: there is one process id, and no process remains.
  const verdaccio = join(repository, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  const child = spawn(process.execPath, [verdaccio, '--config', configuration, '--listen', url.slice(0, -1)], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const stop = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  if (!(await answers(url, child))) {
    const lines = existsSync(log) ? await readFile(log, 'utf8') : '';
    await stop();
    throw new Error(`the registry did not answer within ${START_SECONDS} s:\n${said}\n${lines}`);
  }
  const environment = await environmentOf(folder, url);
  return {
    url,
    environment,
    async requests() {
      const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
      const events = lines.map((line) => JSON.parse(line) as { request?: { method: string; url: string } });
      return events.flatMap(({ request }) => (request === undefined ? [] : [`${request.method} ${request.url}`]));
    },
    stop,
  };
}

async function configurationOf(folder: string, log: string): Promise<object> {
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: repository });
  const anybody = { access: '$all', publish: '$all', unpublish: '$all' };
  return {
    storage: join(folder, 'storage'),
    auth: { htpasswd: { file: join(folder, 'htpasswd'), max_users: -1 } },
    uplinks: { behind: { url: stdout.trim(), timeout: '60s', max_fails: 10, fail_timeout: '5s', cache: false } },
    packages: {
      ...Object.fromEntries(LOCAL.map((pattern) => [pattern, anybody])),
      '**': { ...anybody, proxy: 'behind' },
    },
    publish: { allow_offline: true },
    max_body_size: '400mb',
    web: { enable: false },
    server: { keepAliveTimeout: 60 },
    log: { type: 'file', path: log, format: 'json', level: 'http' },
  };
}

async function environmentOf(folder: string, url: string): Promise<Record<string, string>> {
  const home = join(folder, 'home');
  await mkdir(home);
  const userConfiguration = join(home, '.npmrc');
  const globalConfiguration = join(folder, 'npmrc');
  await writeFile(userConfiguration, `${url.replace(/^http:/, '')}:_authToken=nobody-asks\n`);
  await writeFile(globalConfiguration, '');
  return {
    HOME: home,
    USERPROFILE: home,
    npm_config_userconfig: userConfiguration,
    npm_config_globalconfig: globalConfiguration,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_registry: url,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    // Its postinstall script would fetch libraries for graphics cards from another place.
    ONNXRUNTIME_NODE_INSTALL: 'skip',
  };
}

async function answers(url: string, child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + 1000 * START_SECONDS;
  while (Date.now() < deadline && child.exitCode === null) {
    try {
      const response = await fetch(`${url}-/ping`, { signal: AbortSignal.timeout(2000) });
      if (response.ok) return true;
    } catch {
      // The registry does not answer yet.
    }
    await sleep(100);
  }
  return false;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), 1000 * STOP_SECONDS);
  await exited;
  clearTimeout(killer);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
