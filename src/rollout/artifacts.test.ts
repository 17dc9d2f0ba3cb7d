// Artifacts of episodes in this thread, and images where texts belong.
import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import type { Artifact } from '../contracts/artifact.js';
import type { Environment, StepResult } from '../contracts/environment.js';
import type { Episode } from '../contracts/trajectory.js';
import { collectEpisodes, type CollectOptions } from './collect-episodes.js';
import { artifactLimits, type HeldArtifact } from './episode-artifacts.js';
import { collectOptions, keys } from './fixtures/collect.js';
import { dice, toolbox } from './fixtures/dice.js';
import { Signals } from './fixtures/signals.js';

const patch = (content: Artifact['content'] = 'a', name = 'patch.diff'): Artifact => ({
  name,
  mediaType: 'text/x-diff',
  content,
});
const hash = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
const bytes = Uint8Array.of(137, 80, 78, 71);

/** Brings artifacts with its start, with each step, and with its grade. */
function maker(brought: (when: 'start' | 'step' | 'grade', turn: number) => unknown): Environment {
  const signals = new Signals();
  const artifacts = (...asked: Parameters<typeof brought>) => ({ artifacts: brought(...asked) as Artifact[] });
  return {
    reset: (...call) => ({ observation: signals.reset(...call) as string, ...artifacts('start', 0) }),
    step: (action) => ({ ...(signals.step(action) as StepResult), ...artifacts('step', signals.turns) }),
    act: (...call) => signals.act(...call),
    conclude: () => ({ reward: 0, facts: { success: false, invalid: false }, ...artifacts('grade', 0) }),
  };
}

const actor = { kind: 'player', player: { name: 'waits', act: () => 'wait' } } as const;

async function play(brought: Parameters<typeof maker>[0], changes: Partial<CollectOptions> = {}) {
  const options = { actor, artifacts: 1, horizon: 2, ...changes };
  const episodes: Episode[] = await collectEpisodes(
    keys(1, 2),
    collectOptions(options, () => maker(brought)),
  );
  return episodes as (Omit<Episode, 'artifacts'> & { readonly artifacts?: readonly HeldArtifact[] })[];
}

describe('artifacts of an episode', () => {
  // Goes red when `add` is not called for one of the three, or with another turn.
  it('are listed with their turns, of as many episodes as keep them', async () => {
    const [first, second] = await play((when, turn) =>
      when === 'start'
        ? [patch('é', 'start')]
        : when === 'step'
          ? [patch(bytes, `step ${turn}`)]
          : [patch('', 'grade')],
    );
    const listed = { mediaType: 'text/x-diff' };
    expect(first!.status).toBe('completed');
    expect(first!.artifacts).toEqual([
      { ...listed, name: 'start', bytes: 2, sha256: hash('é'), content: Buffer.from('é') },
      { ...listed, turn: 0, name: 'step 1', bytes: 4, sha256: hash(bytes), content: bytes },
      { ...listed, turn: 1, name: 'step 2', bytes: 4, sha256: hash(bytes), content: bytes },
      { ...listed, turn: 1, name: 'grade', bytes: 0, sha256: hash(''), content: Buffer.from('') },
    ]);
    expect(second).not.toHaveProperty('artifacts');
  });

  it('are copied, because the world may write over its bytes', async () => {
    const own = Uint8Array.of(1, 2, 3);
    const [first] = await play((when, turn) => {
      own[0] = turn;
      return when === 'step' ? [patch(own)] : undefined;
    });
    expect(first!.artifacts!.map(({ content }) => content![0])).toEqual([1, 2]);
  });

  it('are listed without their content where they are too large, alone or together', async () => {
    const { each, episode } = artifactLimits;
    const sizes = [each + 1, each, each, each, each, 1];
    expect(4 * each).toBe(episode);
    const [first] = await play((when) => (when === 'start' ? sizes.map((size) => patch('x'.repeat(size))) : undefined));
    expect(first!.artifacts!.map((one) => [one.bytes, 'content' in one, 'sha256' in one])).toEqual([
      [each + 1, false, false],
      ...sizes.slice(1, 5).map((size) => [size, true, true]),
      [1, false, false],
    ]);
  });

  it('of a failed episode are those before its failure', async () => {
    const fail = (when: string, turn: number) => {
      if (when === 'step' && turn === 2) throw new Error('broken');
      return [patch()];
    };
    const [first] = await play(fail, { rollout: { ...collectOptions().rollout, retries: 0 } });
    expect(first).toMatchObject({ status: 'failed', failure: { message: 'broken' } });
    expect(first!.artifacts!.map(({ turn }) => turn)).toEqual([undefined, 0]);
  });

  it('may come from a tool', async () => {
    const run = () => ({ output: 'rolled', artifacts: [patch(bytes, 'picture')] });
    const rolls = {
      kind: 'player',
      player: { name: 'rolls', act: () => 'roll' },
      tools: toolbox(dice({ begin: () => ({ run }) })),
    } as const;
    const [first] = await play(() => undefined, { actor: rolls });
    expect(first!.artifacts!.map(({ turn, name }) => [turn, name])).toEqual([
      [0, 'picture'],
      [1, 'picture'],
    ]);
    const wrong = () => ({ output: 'rolled', artifacts: [{ name: 'x' }] as unknown as Artifact[] });
    const actor = { ...rolls, tools: toolbox(dice({ begin: () => ({ run: wrong }) })) };
    const [failed] = await play(() => undefined, { actor });
    expect(failed).toMatchObject({
      status: 'failed',
      failure: {
        phase: 'tool',
        message: 'artifacts[0].mediaType: must be a media type, such as text/plain, not undefined',
      },
    });
  });

  it.each([
    ['no list', 'artifacts: must be a list, not "patch"', 'patch'],
    ['too many', 'artifacts: at most 100 in a result, not 101', Array.from({ length: 101 }, () => patch())],
    ['no object', 'artifacts[0]: must be an object, not 5', [5]],
    ['no name', 'artifacts[1].name: must be text of 1 to 200 characters', [patch(), patch('', '')]],
    ['a name of two lines', 'artifacts[0].name: must be text of 1 to 200 characters', [patch('', 'a\nb')]],
    ['another type', 'artifacts[0].mediaType: must be a media type', [{ ...patch(), mediaType: 'text' }]],
    ['another content', 'artifacts[0].content: must be text or a Uint8Array, not a list', [patch([1] as never)]],
  ])('fail their episode if they are wrong: %s', async (_, message, artifacts) => {
    const [first] = await play((when) => (when === 'step' ? artifacts : undefined));
    expect(first).toMatchObject({ status: 'failed', failure: { message: expect.stringContaining(message) } });
  });
});

describe('an image as an observation', () => {
  const pixels = [[[0, 1, 2]]];
  it.each([
    ['a part of a message', { type: 'image', source: { data: '' } }],
    ['a part with an address', { type: 'image_url', image_url: { url: 'data:image/png;base64,' } }],
    ['a part of another interface', { type: 'input_image' }],
    ['a media type', { mediaType: 'image/png', content: '' }],
    ['a list with one', [{ type: 'text', text: 'look' }, { type: 'image' }]],
    ['a dictionary with one', { text: 'look', image: pixels }],
    ['bytes', bytes],
    ['rows of colours', pixels],
    ['rows of greys', [[0, 255]]],
  ])('is refused by name: %s', async (_, observation) => {
    class Seeing extends Signals {
      override step(action: string) {
        return { ...(super.step(action) as StepResult), observation: observation as unknown as string };
      }
    }
    const [episode] = await collectEpisodes(
      keys(1, 1),
      collectOptions({ actor }, () => new Seeing()),
    );
    expect(episode).toMatchObject({
      status: 'failed',
      failure: {
        phase: 'step',
        message:
          'observation: images as observations are not supported. Describe what is seen in text, or record the picture as an artifact',
      },
    });
  });

  it('is told apart from other things that are no text', async () => {
    for (const observation of [5, ['look'], [], { text: 'look' }, [{ type: 'text', text: 'look' }], null]) {
      const [episode] = await collectEpisodes(
        keys(1, 1),
        collectOptions({ actor }, () => {
          const signals = new Signals();
          signals.reset = () => ({ observation }) as never;
          return signals;
        }),
      );
      expect(episode).toMatchObject({
        failure: { message: expect.stringContaining('observation: must be text, not') },
      });
    }
  });
});
