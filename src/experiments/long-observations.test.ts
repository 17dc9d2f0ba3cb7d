// Runs in a world of long observations, which brings artifacts.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Artifact } from '../contracts/artifact.js';
import type { Environment, World } from '../contracts/environment.js';
import type { EnvironmentModule } from '../contracts/environment-module.js';
import type { CompletedEpisode } from '../contracts/trajectory.js';
import type { LocatedContribution, PluginHost } from '../plugins/open-plugin-host.js';
import { lines, newFolder, recipe, run, tabularHost, weights } from './fixtures/tabular-run.js';

const padding = 'higher lower '.repeat(60);

/** Guess-number that says much between the game's words, and brings the action of each turn as an artifact. */
async function wordyHost(): Promise<PluginHost> {
  const host = await tabularHost();
  const artifact = (content: string): Artifact => ({ name: 'guess.txt', mediaType: 'text/plain', content });
  const wordy = (environment: Environment): Environment => ({
    async reset(task, call) {
      const observation = (await environment.reset(task, call)) as string;
      return { observation: `${observation}\n${padding}\nguess`, artifacts: [artifact(task)] };
    },
    async step(action, call) {
      const result = await environment.step(action, call);
      const observation = `${result.observation}\n${padding}\nguess`;
      return { ...result, observation, artifacts: [artifact(action)] };
    },
    act: (...asked) => environment.act(...asked),
  });
  const load = async (item: LocatedContribution) => {
    const module = await host.load(item);
    if (item.kind !== 'environment') return module;
    const { open } = module as EnvironmentModule<never>;
    const opened: typeof open = async (...asked): Promise<World> => {
      const world = await open(...asked);
      return { ...world, create: async (call) => wordy(await world.create(call)) };
    };
    return { ...module, open: opened };
  };
  return { ...host, load: load as PluginHost['load'] };
}

const longest = 50;
const changes = { environment: { ...recipe.environment, observationTokens: longest } };

const episodesOf = (folder: string, log: string) => lines(folder, `episodes/${log}.jsonl`) as CompletedEpisode[];
const artifactsIn = (folder: string) => readdirSync(join(folder, 'run', 'artifacts')).sort();

describe('a run in a world of long observations', () => {
  it('reads their ends, and ends the same when it was interrupted and resumed', async () => {
    const [straight, broken] = [newFolder(), newFolder()];
    const host = await wordyHost();
    await run(straight, { host, changes });
    await run(broken, { host, changes, interruptAt: 5 });
    await run(broken, { host, changes, resume: true });
    const logs = ['rl', 'evaluation.start', 'evaluation.final'];
    for (const log of logs) expect(episodesOf(broken, log)).toEqual(episodesOf(straight, log));
    expect(lines(broken, 'metrics.jsonl')).toEqual(lines(straight, 'metrics.jsonl'));
    expect(weights(broken)).toBe(weights(straight));

    const { turns, sequences, finalObservation } = episodesOf(straight, 'evaluation.final')[0]!;
    expect(turns[0]!.observation).toMatch(/^Guess my number.*\n\[cut: \d+ of \d+ tokens left out\]\n.*lower \nguess$/s);
    expect(turns[0]!.observationCharacters).toBeGreaterThan(padding.length);
    expect(finalObservation).toMatch(/\[cut: /);
    // An action has up to three tokens, and every turn an end and two markers.
    expect(sequences![0]!.tokens.length).toBeLessThan((turns.length + 1) * (longest + 6) + 60);
  });

  // Goes red if demonstrations or examples keep their length: then no demonstration fits.
  it('reads the ends of demonstrations and examples, too', async () => {
    const host = await wordyHost();
    const short = { rollout: { maxEpisodeTokens: 300 }, prompt: { examples: { count: 1 } } };
    const { result } = await run(newFolder(), { host, changes: { ...changes, ...short } });
    expect(result.status).toBe('completed');
    await expect(run(newFolder(), { host, changes: short })).rejects.toMatchObject({ code: 'AG_DEMONSTRATION' });
    const alone = { rollout: { maxEpisodeTokens: 120 } };
    expect((await run(newFolder(), { host, changes: { ...changes, ...alone } })).result.status).toBe('completed');
    await expect(run(newFolder(), { host, changes: alone })).rejects.toMatchObject({
      code: 'AG_DEMONSTRATION',
      message: expect.stringContaining('No demonstration of the stage `sft` fits') as string,
    });
  });

  // Goes red if a line is written before its artifacts, or artifacts of other episodes are written.
  it('keeps the artifacts of recorded episodes', async () => {
    const folder = newFolder();
    const host = await wordyHost();
    await run(folder, { host, changes });
    const recorded = ['rl', 'evaluation.start', 'evaluation.final'].flatMap((log) => episodesOf(folder, log));
    const listed = recorded.flatMap(({ artifacts }) => artifacts!);
    expect(recorded.every(({ artifacts, turns }) => artifacts!.length === turns.length + 1)).toBe(true);
    expect([...new Set(listed.map(({ sha256 }) => sha256!))].sort()).toEqual(artifactsIn(folder));
    const { artifacts, turns, task } = recorded[0]!;
    const contents = artifacts!.map(({ sha256 }) => readFileSync(join(folder, 'run', 'artifacts', sha256!), 'utf8'));
    expect(contents).toEqual([task, ...turns.map(({ action }) => action)]);
    expect(artifacts![1]).toEqual({
      turn: 0,
      name: 'guess.txt',
      mediaType: 'text/plain',
      bytes: contents[1]!.length,
      sha256: createHash('sha256').update(contents[1]!).digest('hex'),
    });

    const none = newFolder();
    await run(none, { host, changes: { ...changes, record: { episodes: 0 } } });
    expect(existsSync(join(none, 'run', 'artifacts'))).toBe(false);
  });

  it('is refused if the mark of a cut leaves no room', async () => {
    const short = { environment: { ...recipe.environment, observationTokens: 10 } };
    await expect(run(newFolder(), { host: await wordyHost(), changes: short })).rejects.toMatchObject({
      code: 'AG_RECIPE_INVALID',
      message: expect.stringMatching(
        /^`environment\.observationTokens` is 10, and the mark .* may have \d+ tokens/,
      ) as string,
      path: 'environment.observationTokens',
    });
  });
});
