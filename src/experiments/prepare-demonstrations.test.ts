// Demonstrations are data of a run: they are collected once, and read again after that.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import type { Environment, World } from '../contracts/environment.js';
import type { EnvironmentModule } from '../contracts/environment-module.js';
import type { RunEvent } from '../contracts/events.js';
import { surveyDemonstrations } from '../demonstrations/survey-demonstrations.js';
import type { LocatedContribution, PluginHost } from '../plugins/open-plugin-host.js';
import { readManifest, writeManifest } from '../runs/run-manifest.js';
import { lines, newFolder, recipe, run, tabularHost, weights } from './fixtures/tabular-run.js';

/**
 * Guess-number with a demonstrator whose games depend on the `era`, as those of a world that cannot repeat. `acts` counts
 * its actions.
 */
async function moodyHost(era: number): Promise<{ readonly host: PluginHost; readonly acts: () => number }> {
  const host = await tabularHost();
  let acts = 0;
  const moody = (environment: Environment): Environment =>
    new Proxy(environment, {
      get(target, key) {
        if (key === 'act') {
          return async (...[player, call]: Parameters<Environment['act']>) => {
            if (player !== 'demonstrator') return target.act(player, call);
            acts += 1;
            return target.act(player, { ...call, random: call.random.stream('era', era) });
          };
        }
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  const load = async (item: LocatedContribution) => {
    const module = await host.load(item);
    if (item.kind !== 'environment') return module;
    const { open } = module as EnvironmentModule<never>;
    const opened: typeof open = async (...asked): Promise<World> => {
      const world = await open(...asked);
      return { ...world, create: async (call) => moody(await world.create(call)) };
    };
    return { ...module, open: opened };
  };
  return { host: { ...host, load: load as PluginHost['load'] }, acts: () => acts };
}

const kept = (folder: string, name = 'sft.jsonl') => join(folder, 'run', 'demonstrations', name);
const manifestOf = (folder: string) => readManifest(join(folder, 'run'));
/** Without a final evaluation of the demonstrator, which plays in its own era. */
const metrics = (folder: string) => lines(folder, 'metrics.jsonl');

describe('the demonstrations of a run', () => {
  // Mutation: leave `stored` out of the call of `makeParts`.
  it('are played once: a resumed run equals an uninterrupted one, even if the world cannot repeat', async () => {
    const [straight, broken] = [newFolder(), newFolder()];
    const first = await moodyHost(1);
    await run(straight, { host: first.host });
    await run(broken, { host: (await moodyHost(1)).host, interruptAt: 3, interruptIn: 'sft' });
    const [file, heldOut] = [kept(broken), kept(broken, 'held-out/sft.jsonl')].map((path) => readFileSync(path));
    const later = await moodyHost(2);
    await run(broken, { host: later.host, resume: true });
    expect(metrics(broken)).toEqual(metrics(straight));
    expect(metrics(broken)[2]).toHaveProperty(['eval/held_out_loss']);
    expect(weights(broken)).toBe(weights(straight));
    for (const folder of [broken, straight]) {
      expect(readFileSync(kept(folder))).toEqual(file);
      expect(readFileSync(kept(folder, 'held-out/sft.jsonl'))).toEqual(heldOut);
    }
    // Another era gives other games.
    const other = newFolder();
    await run(other, { host: (await moodyHost(2)).host, interruptAt: 1, interruptIn: 'sft' });
    expect(readFileSync(kept(other))).not.toEqual(file);

    const { demonstrations, splits } = await manifestOf(broken);
    const survey = await surveyDemonstrations(kept(broken));
    expect(survey).toMatchObject({ episodes: 60, withoutTask: 0, players: ['demonstrator'], splits: ['train'] });
    const { sha256, bytes } = survey;
    expect(demonstrations!['sft']!.training).toEqual({
      ...{ file: join('demonstrations', 'sft.jsonl'), sha256, bytes },
      ...{ episodes: 60, learned: 60, corpus: 60, bought: 60, tasks: survey.tasks, withoutTask: 0 },
    });
    expect(splits!.uses.demonstrations.tasks).toBe(survey.tasks);
    const { episodes, splits: from } = await surveyDemonstrations(kept(broken, 'held-out/sft.jsonl'));
    expect([episodes, from]).toEqual([10, ['validation']]);
  });

  it('are not asked of the expert again, and are played where an older version stored none', async () => {
    const folder = newFolder();
    const changes = { evaluation: { ...recipe.evaluation, final: { tasks: 1 } } };
    await run(folder, { changes, interruptAt: 3, interruptIn: 'sft' });
    const file = readFileSync(kept(folder));
    const resumed = await moodyHost(1);
    await run(folder, { changes, host: resumed.host, resume: true, interruptAt: 1, interruptIn: 'rl' });
    expect(resumed.acts()).toBe(0);

    // As an older version left it.
    const { demonstrations: _, ...manifest } = await manifestOf(folder);
    await writeManifest(join(folder, 'run'), manifest);
    rmSync(join(folder, 'run', 'demonstrations'), { recursive: true });
    await run(folder, { changes, resume: true });
    expect(readFileSync(kept(folder))).toEqual(file);
  });

  // Mutation: leave `checkKept` out of `restore`.
  it('name a file that was changed, cut or removed', async () => {
    const folder = newFolder();
    await run(folder, { interruptAt: 3, interruptIn: 'sft' });
    for (const name of ['sft.jsonl', 'held-out/sft.jsonl']) {
      const file = kept(folder, name);
      const content = readFileSync(file);
      const changed = Buffer.from(content);
      changed[changed.length - 9]! ^= 1;
      const damages = [
        [() => writeFileSync(file, changed), /its SHA-256 is [0-9a-f]{64}, but the run recorded/],
        [() => writeFileSync(file, content.subarray(0, 100)), /it is 100 bytes long, but the run recorded \d+/],
        [() => rmSync(file), /no such file or directory/],
      ] as const;
      for (const [damage, message] of damages) {
        damage();
        await expect(run(folder, { resume: true })).rejects.toMatchObject({
          code: 'AG_RUN_DAMAGED',
          file,
          message: expect.stringMatching(message) as string,
        });
        writeFileSync(file, content);
      }
    }
    expect((await run(folder, { resume: true })).result.status).toBe('completed');
  });

  it('leave nothing behind when their collection is interrupted', async () => {
    const folder = newFolder();
    const { host } = await moodyHost(1);
    const load = async (item: LocatedContribution) => {
      if (item.kind !== 'environment') return host.load(item);
      const { open } = (await host.load(item)) as EnvironmentModule<never>;
      const opened: typeof open = async (...asked): Promise<World> => {
        const world = await open(...asked);
        return { ...world, create: () => Promise.reject(new Error('the machine is gone')) };
      };
      return { open: opened };
    };
    await expect(run(folder, { host: { ...host, load: load as PluginHost['load'] } })).rejects.toMatchObject({
      code: 'AG_EPISODES_FAILED',
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keep the games of the tokenizer, too, where a budget pays for fewer or for none', async () => {
    const budget = (sft: number) => ({ units: 200, costs: { demonstration: 10, episode: 1 }, split: { sft } });
    for (const [share, learned] of [
      [0.4, 8],
      [0, 0],
    ] as const) {
      const folder = newFolder();
      await run(folder, { changes: { budget: budget(share) }, interruptAt: 2 });
      const { training } = (await manifestOf(folder)).demonstrations!['sft']!;
      expect(training).toMatchObject({ learned, bought: learned, corpus: 60, episodes: 60 });
      const resumed = await run(folder, { changes: { budget: budget(share) }, resume: true });
      expect(resumed.result.status).toBe('completed');
    }
  });
});

describe('a file of demonstrations', () => {
  const splitEnvironment = { name: 'guess-number', options: { highest: 9, width: [4, 6] } };

  let games: Promise<{ readonly content: string; readonly heldOut: string }>;
  beforeAll(() => {
    games = (async () => {
      const folder = newFolder();
      await run(folder, { interruptAt: 1, interruptIn: 'sft' });
      const [content = '', heldOut = ''] = ['sft.jsonl', 'held-out/sft.jsonl'].map((name) =>
        readFileSync(kept(folder, name), 'utf8'),
      );
      return { content, heldOut };
    })();
  });

  /** A folder with games of the tiny recipe's world, and a recipe that learns from them. */
  async function withFile() {
    const { content, heldOut } = await games;
    const file = join(newFolder(), 'games.jsonl');
    writeFileSync(file, content);
    const learn = (settings: object = {}) => ({
      changes: {
        environment: splitEnvironment,
        stages: {
          sft: { ...recipe.stages.sft, demonstrations: { file, ...settings } },
          rl: recipe.stages.rl,
        },
      },
    });
    return { file, content, heldOut, rows: content.trimEnd().split('\n'), learn };
  }

  const warnings = (events: readonly RunEvent[]) =>
    events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));

  it('trains as the same games do, and the split proof counts its tasks', async () => {
    const { file, learn } = await withFile();
    const [own, from] = [newFolder(), newFolder()];
    const evaluation = { every: 0, final: { tasks: 20 } };
    await run(own, { changes: { evaluation } });
    await run(from, { changes: { ...learn().changes, evaluation } });
    expect(metrics(from)).toEqual(metrics(own));
    expect(weights(from)).toBe(weights(own));
    const { demonstrations, splits } = await manifestOf(from);
    expect(demonstrations!['sft']!.training).toMatchObject({ file, learned: 60, bought: 60, withoutTask: 0 });
    expect(splits!.uses.demonstrations).toEqual((await manifestOf(own)).splits!.uses.demonstrations);
    expect(readdirSync(join(from, 'run'))).not.toContain('demonstrations');
  });

  it('may be taken in part, and without its lost games', async () => {
    const { learn, rows } = await withFile();
    const won = rows.slice(1, 41).filter((row) => row.includes('"success":true')).length;
    const folder = newFolder();
    await run(folder, { ...learn({ count: 40, successOnly: true }), interruptAt: 1, interruptIn: 'sft' });
    expect((await manifestOf(folder)).demonstrations!['sft']!.training).toMatchObject({ learned: won, bought: 40 });
  });

  // Mutation: leave `differenceFrom` out of `FileDemonstrations`.
  it('is refused at a resume if it changed', async () => {
    const { file, learn } = await withFile();
    const folder = newFolder();
    await run(folder, { ...learn(), interruptAt: 2, interruptIn: 'sft' });
    appendFileSync(file, '\n');
    await expect(run(folder, { ...learn(), resume: true })).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      file,
      message: expect.stringMatching(/changed since the run began: it is \d+ bytes long/) as string,
    });
  });

  // Law 10. Mutation: leave the test split out of `knownEnvironment`; leave `otherWorld` out of `#otherOf`.
  it.each([
    [
      'of another environment',
      ['"name":"guess-number"', '"name":"textcraft"'],
      2,
      'was played in the environment `tex',
    ],
    ['of other options', ['"highest":9', '"highest":8'], 2, 'was played with the option `highest`: 8, but the env'],
    ['with an option that is gone', ['"highest":9', '"highest":9,"odd":1'], 2, 'recipe has no such option'],
    ['of the test split', ['"split":"train"', '"split":"test"'], 2, 'its tasks are of the test split'],
    ['with an unknown outcome', [',"success":false', ''], undefined, 'it does not say whether it succeeded'],
    ['with a broken line', ['"finalObservation":"', '"finalObservation":3"'], 2, 'it is not JSON'],
  ])('is refused if it is %s, and nothing is written', async (_, [find, replace], line, complaint) => {
    const { file, content, learn } = await withFile();
    writeFileSync(file, content.replace(find!, replace!));
    const folder = newFolder();
    await expect(run(folder, learn({ successOnly: true }))).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      file,
      ...(line !== undefined && { line }),
      message: expect.stringContaining(complaint) as string,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused with a held-out task', async () => {
    const { file, rows, heldOut, learn } = await withFile();
    writeFileSync(file, [...rows, heldOut.split('\n')[1]].join('\n'));
    await expect(run(newFolder(), learn())).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      line: rows.length + 1,
      message: expect.stringMatching(/its task ".*" is in the validation or test split/) as string,
    });
  });

  /** Joins the games with others under a header with these options, and with tasks of one of its splits. */
  async function withOthers(
    split: 'train' | 'test',
    { rename = 'guess-number', options = { highest: 30, width: [10, 12] } } = {},
  ) {
    const { file, content, learn } = await withFile();
    const folder = newFolder();
    await run(folder, {
      changes: { environment: { ...splitEnvironment, options }, horizon: { schedule: 'fixed', turns: 4 } },
      interruptAt: 1,
      interruptIn: 'sft',
    });
    const [head = '', ...games] = readFileSync(kept(folder), 'utf8').trimEnd().split('\n');
    const header = head.replace('"name":"guess-number"', `"name":"${rename}"`);
    const heldOut = readFileSync(kept(folder, 'held-out/sft.jsonl'), 'utf8').split('\n')[1] as string;
    writeFileSync(
      file,
      [...content.trimEnd().split('\n'), header, ...games, ...(split === 'test' ? [heldOut] : [])].join('\n'),
    );
    return { file, learn, games, options };
  }

  // Mutation: count tasks of other environments among the recipe's own, which then seem to be held out.
  it('may have games of other environments if the recipe says so, and records them', async () => {
    const { learn, games, options } = await withOthers('train');
    await expect(run(newFolder(), learn())).rejects.toMatchObject({
      line: 63,
      message: expect.stringContaining('was played with the option `highest`: 30') as string,
    });
    const folder = newFolder();
    const { result } = await run(folder, learn({ otherEnvironments: true }));
    expect(result.spent.demonstrations).toBe(60);
    const { demonstrations, splits } = await manifestOf(folder);
    const own = new Set(games.map((game) => (JSON.parse(game) as { task: string }).task));
    expect(demonstrations!['sft']!.training).toMatchObject({
      learned: 120,
      others: [
        { name: 'guess-number', options: expect.objectContaining(options) as object, episodes: 60, tasks: own.size },
      ],
    });
    const alone = newFolder();
    await run(alone, (await withFile()).learn());
    expect(splits!.uses.demonstrations).toEqual((await manifestOf(alone)).splits!.uses.demonstrations);
  });

  it('is refused with a task that another environment holds out, and of an environment that is not there', async () => {
    const held = await withOthers('test');
    await expect(run(newFolder(), held.learn({ otherEnvironments: true }))).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      line: 123,
      message: expect.stringMatching(/its task ".*" is in the validation or test split/) as string,
    });
    const gone = await withOthers('train', { rename: 'chess' });
    await expect(run(newFolder(), gone.learn({ otherEnvironments: true }))).rejects.toThrow(/chess/);
  });

  // Mutation: compare games of the same environment with other options only with the tasks held out there.
  it('is refused with a task that only the recipe holds out', async () => {
    const { learn } = await withOthers('train', { options: { highest: 10, width: [4, 6] } });
    await expect(run(newFolder(), learn({ otherEnvironments: true }))).rejects.toThrow(
      /Line (6[3-9]|[7-9]\d|1\d\d) .* its task ".*" is in the validation or test split/,
    );
  });

  it('is refused if it has no games of other environments, though the recipe says so', async () => {
    const { learn } = await withFile();
    await expect(run(newFolder(), learn({ otherEnvironments: true }))).rejects.toThrow(
      '`otherEnvironments` has no effect: no demonstration of',
    );
  });

  it('may hold trajectories of other tools, whose tasks are unknown and whose acknowledgements are not learned', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'data'));
    const file = join(folder, 'data', 'trajectories.json');
    const item = (index: number) => ({
      item_id: `guess_${index}`,
      conversations: [
        { from: 'human', loss: null, value: 'Guess my number.' },
        { from: 'gpt', loss: false, value: 'OK' },
        { from: 'human', loss: null, value: 'between 1 and 9' },
        { from: 'gpt', loss: true, value: String(1 + (index % 9)) },
      ],
    });
    writeFileSync(file, JSON.stringify(Array.from({ length: 30 }, (_, index) => item(index))));
    const { learn } = await withFile();
    const { result, events } = await run(folder, learn({ file }));
    expect(result.status).toBe('completed');
    expect(result.spent.demonstrations).toBe(30);
    // One number and its end token.
    const trained = metrics(folder).slice(0, 6) as Record<string, number>[];
    expect(trained[0]!['cost/trained_tokens']).toBe(20);
    expect((await manifestOf(folder)).splits!.uses.demonstrations.tasks).toBe(30);
    expect(warnings(events).join()).not.toContain('action format');
  });
});
