// Plugins that misbehave, through the whole command line: each is named, with exit code 2 or as a problem, and nothing
// else breaks.
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { isLong } from '../long.js';
import { documentOf, freshDataFolders, runCli } from './run-cli.js';
import { coinCode, coinEntry, link, newFolder, packageJson } from './write-plugin.js';

/** Data folders with linked plugins. `plugins` maps names of plugins to their files. */
function linked(plugins: Readonly<Record<string, Readonly<Record<string, string>>>>, agentgym: object | null = {}) {
  const environment = freshDataFolders();
  const roots = Object.entries(plugins).map(
    ([name, files]) => [name, newFolder({ 'package.json': packageJson({ name, agentgym }), ...files })] as const,
  );
  link(environment.AGENTGYM_DATA_DIR, Object.fromEntries(roots));
  return environment;
}

const coin = (code: Parameters<typeof coinCode>[0] = {}, entry = '') => ({
  'index.js': entry + coinEntry(),
  'coin.js': coinCode(code),
});

describe('a plugin that cannot be loaded', () => {
  const environment = linked({
    'plugin-exits': { 'index.js': 'process.exit(3);' },
    'plugin-good': coin(),
    'plugin-hidden-exit': { 'index.js': 'await import("./deep.js"); export default [];', 'deep.js': 'process.exit();' },
    'plugin-syntax': { 'index.js': 'export default [' },
    'plugin-throws': { 'index.js': 'throw new Error("boom")' },
    'plugin-unbuilt': {},
    'plugin-wrong': {
      'index.js': `export default [{ kind: 'environment', name: 'wrong', summary: 'Wrong', load: () => 0,
        options: { sides: { type: 'integer', maximum: 3, default: 4, description: 'Sides' } } }];`,
    },
  });

  // Goes red without the guard of process.exit: the process ends with 3 and prints nothing.
  it('is named, whatever it does, and takes nothing else down', async () => {
    const result = await runCli(['list', '--json'], { environment });
    expect(result.code).toBe(0);
    const document = documentOf(result) as { environments: { name: string }[]; rewards: unknown[] };
    expect(document.environments.map(({ name }) => name)).toEqual(expect.arrayContaining(['coin', 'guess-number']));
    expect(document.rewards).not.toEqual([]);
    const lines = result.stderr.trim().split('\n');
    expect(lines.map((line) => /^Plugin (\S+) has a problem: (.*)/.exec(line)?.slice(1, 3))).toEqual([
      ['plugin-exits', expect.stringContaining('it called process.exit(3)')],
      ['plugin-hidden-exit', expect.stringContaining('it called process.exit()')],
      ['plugin-syntax', expect.stringContaining('could not be imported')],
      ['plugin-throws', expect.stringContaining('boom')],
      ['plugin-unbuilt', expect.stringContaining('Build it: `npm run build` in')],
      ['plugin-wrong', expect.stringContaining('[0].options.sides.default')],
    ]);
  });

  // Goes red when an uncaught error ends the commands that should report it.
  it('throws when everybody believes it loaded: doctor, list and plugins go on, and name it', async () => {
    const later = 'setTimeout(() => { throw new Error("too late"); }, 1);';
    const data = linked({ 'plugin-later': coin({}, later) });
    for (const command of [['doctor', '--quick'], ['list']]) {
      const result = await runCli([...command, '--json'], { environment: data });
      expect(result.code).toBeLessThan(2);
      expect(documentOf(result)).not.toHaveProperty('error');
      expect(result.stderr).toMatch(/the plugin plugin-later 1\.0\.0 threw an uncaught error: too late/);
    }
  });

  it('is a problem of the doctor', async () => {
    const result = await runCli(['doctor', '--quick', '--json'], { environment });
    expect(result.code).toBe(1);
    const subject = (name: string) => expect.objectContaining({ subject: `plugin ${name} 1.0.0` }) as unknown;
    expect(documentOf(result)).toMatchObject({
      healthy: false,
      subjects: expect.arrayContaining([subject('plugin-exits'), subject('plugin-throws')]) as unknown,
    });
  });

  it('is given up on where its import never ends', async () => {
    const slow = linked({ 'plugin-hangs': { 'index.js': 'await new Promise(() => {}); export default [];' } });
    const result = await runCli(['list', 'rewards', '--json'], { environment: slow });
    expect(result.code).toBe(0);
    expect(result.stderr).toContain('plugin-hangs has a problem: its entry ./index.js could not be imported');
    expect(result.stderr).toContain('took longer than 10 s');
  });

  it('runs no code where it is for another version of the API, or says nothing of agentgym', async () => {
    const marker = 'import { writeSync } from "node:fs"; writeSync(2, "RAN"); export default [];';
    const newer = await runCli(['list', 'rewards'], {
      environment: linked({ 'plugin-newer': { 'index.js': marker } }, { apiVersion: 2 }),
    });
    expect(newer).toMatchObject({ code: 0, stderr: expect.stringContaining('version 2 of the plugin API') as unknown });
    const bare = await runCli(['list', 'rewards'], {
      environment: linked({ 'plugin-bare': { 'index.js': marker } }, null),
    });
    expect(bare.stderr).toContain('its package.json has no `agentgym` field');
    expect(newer.stderr + bare.stderr).not.toContain('RAN');
  });

  it('claims a taken name: the two are named, and whoever asks for it is told how to go on', async () => {
    const environment = linked({ 'a-thief': { 'index.js': coinEntry('textcraft') } });
    const asked = await runCli(['describe', 'environment', 'textcraft', '--json'], { environment });
    expect(asked.code).toBe(2);
    expect(documentOf(asked)).toMatchObject({
      error: {
        code: 'AG_CONTRIBUTION_CONFLICT',
        message: '@agentgym/plugin-env-textcraft and a-thief both contribute the environment `textcraft`',
        // Goes red when the hint names the built-in plugin.
        hint: 'Uninstall one of the two: `agentgym plugins uninstall a-thief`.',
      },
    });
    expect((await runCli(['describe', 'environment', 'guess-number'], { environment })).code).toBe(0);
  });

  it('takes a name of another kind: whoever gives the name alone gets both commands', async () => {
    const environment = linked({ 'a-twin': { 'index.js': coinEntry('grpo') } });
    const asked = await runCli(['describe', 'grpo', '--json'], { environment });
    expect(asked.code).toBe(2);
    expect(documentOf(asked)).toMatchObject({
      error: {
        message: '`grpo` is the name of more than one contribution.',
        hint: 'Write `agentgym describe environment grpo` or `agentgym describe algorithm grpo`.',
      },
    });
  });
});

/** The first of cases that go through the same code; long tests try all. */
const firstOf = <Case>(cases: Case[]): Case[] => (isLong ? cases : cases.slice(0, 1));

describe('a plugin that misbehaves when it is used', () => {
  const evaluate = (plugin: Readonly<Record<string, string>>, ...more: string[]) =>
    runCli(['evaluate', 'random', '--environment', 'coin', '--tasks', '2', ...more], {
      environment: linked({ 'plugin-coin': plugin }),
    });
  /** The error as `--json` prints it. The process must have ended by itself. */
  const failure = async (plugin: Readonly<Record<string, string>>) => {
    const result = await evaluate(plugin, '--json');
    const { error } = documentOf(result) as { error: { code: string; message: string } };
    return { exit: result.code, stderr: result.stderr, ...error };
  };

  it('calls process.exit in its module', async () => {
    expect(await failure(coin({ top: 'process.exit(4);' }))).toMatchObject({
      exit: 2,
      code: 'AG_PLUGIN_FAILED',
      message: expect.stringContaining(
        'environment `coin` (plugin-coin 1.0.0) failed in load: it called process.exit(4)',
      ) as unknown,
    });
  });

  // Goes red when an exit counts as a failure of one episode.
  it.each(isLong ? ['open', 'create', 'reset', 'step'] : ['open', 'step'])(
    'calls process.exit in %s: the command ends by its name',
    async (phase) => {
      expect(await failure(coin({ [phase]: 'process.exit(0);' }))).toMatchObject({
        exit: 2,
        code: 'AG_PLUGIN_EXITS',
        message: `environment \`coin\` (plugin-coin 1.0.0) called process.exit(0) in ${phase}.`,
      });
    },
  );

  it.each(
    firstOf([
      ['gives nothing in step', { step: 'return;' }, 'in step: it must be an object, not undefined'],
      [
        'gives no facts',
        { step: 'return { observation: "", reward: 0, terminated: true, truncated: false };' },
        'in step: facts: must be an object, not undefined',
      ],
      ['gives no text in reset', { reset: 'return 3' }, 'in reset: it must be text or an object, not 3'],
    ]),
  )('%s: its episodes fail, and say why', async (_, code, cause) => {
    expect(await failure(coin(code))).toMatchObject({
      exit: 2,
      code: 'AG_EPISODES_FAILED',
      message: expect.stringContaining(cause) as unknown,
    });
  });

  it.each(
    firstOf([
      ['a module', 'export const start = () => 0;', 'failed in load: its module.open is absent, not a function'],
      [
        'a split',
        coinCode().replace(', test: every(2)', ''),
        'failed in open: the result of open().splits.test is absent, not an object',
      ],
      [
        'a world',
        coinCode({ open: 'return {};' }),
        'failed in open: the result of open().instructions is absent, not a string',
      ],
      [
        'an environment',
        coinCode({ create: 'return { reset() {} };' }),
        'the result of create().step is absent, not a function',
      ],
    ]),
  )('gives a wrong shape for %s: the path in it is told', async (_, code, cause) => {
    const { message, exit } = await failure({ 'index.js': coinEntry(), 'coin.js': code });
    expect(message).toContain(cause);
    expect(exit).toBe(2);
  });

  // Goes red without the guard of standard output: the output would not be one document.
  it('prints to standard output, early and late: under --json that goes to standard error', async () => {
    const print = (what: string) => `console.log('${what}'); process.stdout.write('${what}\\n');`;
    const pieces = { top: print('IMPORT'), open: print('OPEN'), create: print('CREATE'), step: print('STEP') };
    const plugin = coin(pieces, print('ENTRY'));
    const json = await evaluate(plugin, '--json');
    expect(json.code).toBe(0);
    expect(documentOf(json)).toMatchObject({ environment: 'coin' });
    for (const what of ['ENTRY', 'IMPORT', 'OPEN', 'CREATE', 'STEP'])
      expect(json.stderr.split(`${what}\n`).length).toBeGreaterThan(2);
    // Without --json the output is shown, too.
    const plain = await evaluate(plugin);
    expect(plain.stdout).toContain('STEP');
  });

  it.each(
    firstOf([
      ['throws in a timer', "setTimeout(() => { throw new Error('late'); }, 0);"],
      ['rejects where nobody listens', "void Promise.reject(new Error('late'));"],
      ['calls process.exit in a timer', 'setTimeout(() => process.exit(0), 0);'],
    ]),
  )('%s: it is named, without a stack in front', async (_, breaks) => {
    const wait = 'await new Promise((resolve) => setTimeout(resolve, 300));';
    const code = coinCode({ open: `${breaks} ${wait}` }).replace('export function open', 'export async function open');
    const { code: said, message, exit, stderr } = await failure({ 'index.js': coinEntry(), 'coin.js': code });
    expect({ said, exit }).toEqual({ said: 'AG_PLUGIN_FAILED', exit: 2 });
    expect(message).toMatch(
      /^the plugin plugin-coin 1\.0\.0 threw an uncaught error: (late|it called process\.exit\(0\))/,
    );
    expect(stderr).toMatch(/^Error AG_PLUGIN_FAILED:\n/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  // Node.js ends a process with 13 if nothing is left to wait for. Goes red without the listener on `exit`, which
  // reports this.
  it('never answers: it is named, and the process does not end as if all were well', async () => {
    const entry = `export default [{ kind: 'reward', name: 'stuck', summary: 'Stuck', options: {},
      load: () => Promise.resolve({ create: () => new Promise(() => {}) }) }];`;
    const recipe = `recipeVersion: 1
environment: { name: guess-number }
reward: { terms: [{ name: stuck }] }
horizon: { schedule: fixed, turns: 2 }
stages: { sft: { kind: sft, steps: 1 } }\n`;
    const environment = linked({ 'plugin-stuck': { 'index.js': entry } });
    const cwd = newFolder({ 'recipe.yaml': recipe });
    const result = await runCli(['train', './recipe.yaml', '--json'], { cwd, environment });
    expect(result.code).toBe(2);
    expect(documentOf(result)).toMatchObject({
      error: {
        code: 'AG_PLUGIN_FAILED',
        message:
          'reward `stuck` (plugin-stuck 1.0.0) did not answer in create, and nothing is running that could give it',
      },
    });
  });

  it('in a project is as harmless as one that is linked', async () => {
    const project = newFolder({
      'package.json': packageJson({ name: 'mine', agentgym: { plugin: './dist/index.js' } }),
      'dist/index.js': 'console.log("hello"); process.exit(1);',
    });
    const result = await runCli(['list', 'rewards', '--json'], { cwd: join(project, 'dist') });
    expect(result.code).toBe(0);
    expect(documentOf(result)['rewards']).not.toEqual([]);
    expect(result.stderr).toContain('Plugin mine has a problem: its entry ./dist/index.js could not be imported');
  });
});
