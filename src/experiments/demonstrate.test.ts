import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { readEpisodes } from '../demonstrations/read-episodes.js';
import { surveyDemonstrations } from '../demonstrations/survey-demonstrations.js';
import type { PluginHost } from '../plugins/open-plugin-host.js';
import { createRandom } from '../random/create-random.js';
import { demonstrate, type DemonstrateRequest } from './demonstrate.js';
import { hostSettings, newFolder, recipe, run, tabularHost } from './fixtures/tabular-run.js';

let host: PluginHost;
beforeAll(async () => void (host = await tabularHost()));

function request(folder: string, changes: Partial<DemonstrateRequest> = {}): DemonstrateRequest {
  const { seed = 3 } = changes;
  return {
    policy: 'demonstrator',
    environment: 'guess-number',
    options: { highest: 9, width: [4, 6] },
    split: 'train',
    tasks: 40,
    episodesPerTask: 2,
    output: join(folder, 'games.jsonl'),
    host,
    settings: hostSettings(folder, createRandom(seed)),
    runsFolder: folder,
    progress: { begin: () => undefined, take: () => undefined },
    ...changes,
    seed,
  };
}

describe('demonstrate', () => {
  it('writes what it counts, the same bytes for the same seed', async () => {
    const [one, two, other] = [newFolder(), newFolder(), newFolder()];
    const written = await demonstrate(request(one));
    expect(written).toMatchObject({ episodes: 80, played: 80, kept: 80, failed: 0, tasks: 40, split: 'train' });
    expect(written.success).toBe(written.succeeded / 80);
    const survey = await surveyDemonstrations(written.file);
    expect(survey).toMatchObject({
      ...{ episodes: 80, tasks: 40, turns: written.turns, sha256: written.sha256, bytes: written.bytes },
      ...{ success: written.success, players: ['demonstrator'] },
    });
    expect(survey.environments![0]).toMatchObject({ name: 'guess-number', options: { highest: 9, turns: null } });
    expect((await demonstrate(request(two))).sha256).toBe(written.sha256);
    expect((await demonstrate(request(other, { seed: 4 }))).sha256).not.toBe(written.sha256);
  });

  // Mutation: keep every episode, whatever the filter.
  it('keeps the solved episodes, in their order', async () => {
    const [all, won] = [newFolder(), newFolder()];
    const whole = await demonstrate(request(all));
    const written = await demonstrate(request(won, { filter: 'success' }));
    expect(written).toMatchObject({ played: 80, succeeded: whole.succeeded, kept: whole.succeeded });
    expect(written.kept).toBeGreaterThan(0);
    expect(written.kept).toBeLessThan(80);
    const [, ...lines] = readFileSync(whole.file, 'utf8').trimEnd().split('\n');
    const [header, ...kept] = readFileSync(written.file, 'utf8').trimEnd().split('\n');
    expect(kept).toEqual(lines.filter((line) => line.includes('"success":true')));
    expect(JSON.parse(header!)).toMatchObject({ document: 'demonstrations', filter: 'success', seed: 3 });
  });

  it('samples a run, and keeps its texts', async () => {
    const folder = newFolder();
    const sft = { ...recipe.stages.sft, steps: 30, optimizer: { learningRate: 0.5 } };
    const changes = { stages: { ...recipe.stages, sft }, evaluation: { every: 0 } };
    const { result } = await run(folder, { changes, interruptAt: 30, interruptIn: 'sft' });
    const player = { policy: result.run, temperature: 1, options: {}, episodesPerTask: 4, tasks: 30 };
    const output = join(folder, 'own.jsonl');
    const written = await demonstrate(request(folder, { ...player, output, filter: 'success' }));
    expect(written.kept).toBe(written.succeeded);
    const { id } = JSON.parse(readFileSync(join(result.run, 'manifest.json'), 'utf8')) as { id: string };
    for await (const { episode, header } of readEpisodes(output)) {
      expect(header).toMatchObject({ player: id, temperature: 1, horizon: 3 });
      expect(episode.success).toBe(true);
      expect(episode.turns.at(-1)!.action).toBeDefined();
    }
  });

  // Mutation: leave `writer.discard` out.
  it('leaves nothing behind when it is interrupted, keeps nothing, or may not write', async () => {
    const folder = newFolder();
    const controller = new AbortController();
    const settings = { ...hostSettings(folder, createRandom(1)), signal: controller.signal };
    const progress = { begin: () => undefined, take: () => controller.abort() };
    await expect(demonstrate(request(folder, { settings, progress, episodesPerTask: 30 }))).rejects.toMatchObject({
      code: 'AG_INTERRUPTED',
    });
    const lost = request(folder, {
      policy: 'random',
      filter: 'success',
      turns: 1,
      tasks: 1,
      episodesPerTask: 1,
      seed: 2,
    });
    await expect(demonstrate(lost)).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      message: expect.stringContaining('No episode of `random` was kept') as string,
    });
    await expect(demonstrate(request(folder, { policy: 'nobody' }))).rejects.toMatchObject({
      code: 'AG_PLAYER_UNKNOWN',
    });
    await expect(demonstrate(request(folder, { output: join(folder, 'none', 'x') }))).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION_WRITE',
    });
    expect(readdirSync(folder)).toEqual([]);

    const output = join(folder, 'mine');
    writeFileSync(output, 'precious');
    mkdirSync(join(folder, 'dir'));
    for (const existing of [output, join(folder, 'dir')]) {
      await expect(demonstrate(request(folder, { output: existing }))).rejects.toMatchObject({
        code: 'AG_OUTPUT_EXISTS',
      });
    }
    expect(readFileSync(output, 'utf8')).toBe('precious');
  });
});
