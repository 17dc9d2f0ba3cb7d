import { describe, expect, it } from 'vitest';

import { levelOf, recordedTranscripts } from '../fixtures/recordings.js';
import { generateLevel } from '../levels/generate-level.js';
import { NumpyGenerator } from '../random/numpy-generator.js';
import { agentGymLevels } from '../tasks/agentgym-levels.js';
import { AgentGymSession } from './agentgym-session.js';

const open = (id: string, seed: number) => new AgentGymSession(generateLevel(levelOf(id), new NumpyGenerator(seed)));

describe("AgentGym's wrapper", () => {
  it.each(recordedTranscripts)(
    'answers in $id with seed $seed what it answered',
    ({ data_idx, id, seed, ...recorded }) => {
      expect([levelOf(id).name, seed]).toEqual([agentGymLevels[data_idx % 40], Math.floor(data_idx / 40)]);
      const session = open(id, seed);
      expect(recorded.start).toMatchObject(session.start());
      const steps = recorded.steps.map(({ action }) => {
        const reply = session.step(action);
        const { x, y, direction, steps: native_steps } = session.world;
        return { action, reply, pose: [x, y, direction], native_steps };
      });
      expect(steps).toEqual(recorded.steps);
    },
  );

  it('reads as Python does: small letters, and the white space that Python strips', () => {
    const session = open('BabyAI-GoToObj-v0', 0);
    session.step('\u001c\u2003TURN LEFT\u0085\n');
    expect(session.world.steps).toBe(1);
    // A byte order mark is white space in JavaScript only.
    session.step('\ufeffturn left');
    expect(session.world.steps).toBe(1);
  });

  it('never repeats what is checked, and adds the last reward to the score again and again', () => {
    const {
      data_idx: _,
      id,
      seed,
      steps,
    } = recordedTranscripts.find(({ steps: played }) => played.some(({ reply }) => reply.reward > 0))!;
    const session = open(id, seed);
    for (const { action } of steps) session.step(action);
    const last = session.step('no such thing');
    expect(last.reward).toBeGreaterThan(0);
    expect(session.step('no such thing').score).toBeCloseTo(last.score + last.reward);
  });
});
