// Whole runs with a prompt: training, resuming and evaluating see the same beginning of every conversation.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { acceptRecipe, resolveRecipe } from '../config/resolve-recipe.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { createRandom } from '../random/create-random.js';
import { loadRun } from '../runs/load-run.js';
import { openEndpoint } from '../serve/endpoint/open-endpoint.js';
import { checkTraining } from './check-training.js';
import { demonstrate } from './demonstrate.js';
import { hostSettings, lines, newFolder, recipe, run, tabularHost, weights } from './fixtures/tabular-run.js';
import { openPlayer, type OpenPlayerRequest } from './open-player.js';

const prompt = { system: 'You play a game.\n\n{environment}', examples: { expert: 'oracle', count: 2 } };
const changes = { prompt };
const first = newFolder();
let host: PluginHost;

beforeAll(async () => {
  host = await tabularHost();
  await run(first, { changes });
}, 60_000);

const player = (more: Partial<OpenPlayerRequest> = {}): OpenPlayerRequest => ({
  ...{ policy: join(first, 'run'), options: {}, host, runsFolder: first },
  settings: hostSettings(first, createRandom(0)),
  ...more,
});

interface StoredPrompt {
  readonly system: string;
  readonly games: readonly { readonly task: string; readonly texts: readonly string[] }[];
}

const stored = (folder: string): StoredPrompt =>
  JSON.parse(readFileSync(join(folder, 'run', 'prompt.json'), 'utf8')) as StoredPrompt;

async function check(more: object): Promise<unknown> {
  const { plan } = acceptRecipe(await resolveRecipe({ source: { ...recipe, ...more }, cwd: first, host }));
  return checkTraining(plan, host, hostSettings(first, createRandom(plan.recipe.seed)), { short: 'ignore' });
}

describe('a run with a prompt', () => {
  // Mutations: leave `examples` out of the tasks of the proof; sample before the examples.
  it('shows its games to every episode, and proves that they are training tasks', async () => {
    const { games, system } = stored(first);
    expect(games).toHaveLength(2);
    expect(system).toMatch(/^You play a game\.\n\nGuess a hidden number\.\n/);
    const { manifest } = await loadRun(join(first, 'run'));
    expect(manifest.splits?.uses.examples?.tasks).toBe(2);
    expect(manifest.prompt).toMatchObject({ games: 2, sha256: expect.any(String) as string });
    const { tokens } = manifest.prompt!;
    expect(tokens).toBeGreaterThan(20);
    const episodes = lines(first, 'episodes/rl.jsonl') as CompletedEpisode[];
    expect(episodes.length).toBeGreaterThan(0);
    const beginnings = episodes.map(({ sequences: [record] = [] }) => record!.tokens.slice(0, tokens).join());
    expect(new Set(beginnings).size).toBe(1);
    for (const { sequences: [record] = [], turns } of episodes) {
      expect(turns[0]!.sampled![0]).toBeGreaterThan(tokens);
      expect(record!.mask.slice(0, turns[0]!.sampled![0])).not.toContain(1);
    }
  });

  // Mutation: choose the games of a resumed run again, with another stream.
  it('ends the same when it was interrupted and resumed', async () => {
    const broken = newFolder();
    await run(broken, { changes, interruptAt: 5 });
    await run(broken, { changes, resume: true });
    for (const name of ['metrics.jsonl', 'evaluations.jsonl', 'episodes/rl.jsonl']) {
      expect(lines(broken, name), name).toEqual(lines(first, name));
    }
    expect(weights(broken)).toBe(weights(first));
  });

  // Mutation: leave out `checkKept`.
  it('does not go on with another prompt', async () => {
    const broken = newFolder();
    await run(broken, { changes, interruptAt: 2 });
    const file = join(broken, 'run', 'prompt.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('You play', 'We play'));
    await expect(run(broken, { changes, resume: true })).rejects.toMatchObject({ code: 'AG_RUN_DAMAGED', file });
    const other = { prompt: { ...prompt, system: 'Other.' } };
    await expect(run(broken, { changes: other, resume: true })).rejects.toMatchObject({ code: 'AG_RESUME_MISMATCH' });
  });

  // Mutation: let `open-player` ignore the run's prompt.
  it('is evaluated and served with it, and without it if flags say so', async () => {
    const { actor, dispose } = await openPlayer(player());
    if (actor.kind !== 'model') throw new Error('a run is a model');
    expect(actor.prompt?.system).toBe(prompt.system);
    expect(actor.prompt?.examples?.games).toEqual(stored(first).games);
    await dispose();

    const one = await openPlayer(player({ prompt: { system: 'Else.', examples: { count: 1 } } }));
    if (one.actor.kind !== 'model') throw new Error('a run is a model');
    expect(one.actor.prompt).toMatchObject({ system: 'Else.', examples: { games: { length: 1 } } });
    await one.dispose();
    const none = await openPlayer(player({ prompt: { examples: { count: 0 } } }));
    if (none.actor.kind !== 'model') throw new Error('a run is a model');
    expect(none.actor.prompt).toEqual({ system: prompt.system });
    await none.dispose();

    const served = await openEndpoint({ ...player(), policy: join(first, 'run') });
    expect(served.endpoint.prompt?.system).toBe(stored(first).system);
    expect(served.endpoint.prompt?.examples?.games).toEqual(stored(first).games);
    await served.dispose();
  });

  it('takes its games from a file, and keeps them if the file changes', async () => {
    const folder = newFolder();
    const file = join(folder, 'games.jsonl');
    await demonstrate({
      ...player({ policy: 'oracle', options: recipe.environment.options }),
      ...{ policy: 'oracle', environment: 'guess-number', split: 'train', tasks: 5, episodesPerTask: 1, seed: 0 },
      ...{ output: file, progress: { begin: () => undefined, take: () => undefined }, filter: 'success' },
    });
    const fromFile = { prompt: { examples: { file, count: 3 } } };
    await run(folder, { changes: fromFile, interruptAt: 2 });
    expect(stored(folder).games).toHaveLength(3);
    writeFileSync(file, '');
    const { result } = await run(folder, { changes: fromFile, resume: true });
    expect(result.status).toBe('completed');
  });
});

describe('a prompt that cannot be', () => {
  // Mutation: leave `refuseLongPrompt` out of `makeParts`.
  it('is refused if it is longer than an episode', async () => {
    const folder = newFolder();
    const long = { prompt: { examples: { expert: 'oracle', count: 4 } }, rollout: { maxEpisodeTokens: 60 } };
    await expect(run(folder, { changes: long })).rejects.toMatchObject({
      ...{ code: 'AG_DEMONSTRATION', exitCode: 2, path: 'prompt.examples.count' },
      message: expect.stringMatching(
        /the 4 examples have \d+ tokens, .* do not fit into the 60 of an episode/,
      ) as string,
    });
    expect(existsSync(join(folder, 'run'))).toBe(false);
  });

  it('is refused by a check, too, at the key', async () => {
    await expect(check({ prompt: { examples: { expert: 'nobody' } } })).rejects.toMatchObject({
      ...{ code: 'AG_NO_EXPERT', path: 'prompt.examples.expert' },
      hint: expect.stringContaining('`--set prompt.examples.expert=NAME`') as string,
    });
    const file = join(first, 'missing.jsonl');
    await expect(check({ prompt: { examples: { file } } })).rejects.toMatchObject({
      ...{ code: 'AG_DEMONSTRATION', path: 'prompt.examples', file },
    });
    await expect(check({ prompt })).resolves.toMatchObject({ recipe: 'tiny' });
  });

  it.each(['oracle', 'random'])('is refused for %s', async (policy) => {
    const asked = player({ policy, environment: 'guess-number', prompt: { system: 'Be brief.' } });
    await expect(openPlayer(asked)).rejects.toMatchObject({
      code: 'AG_COMMAND_USAGE',
      message: `\`--prompt-system\` has no effect: \`${policy}\` is not a model.`,
    });
  });
});
