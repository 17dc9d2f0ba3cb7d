import { createHash } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { recordedSessions, type RecordedStep } from './fixtures/recorded-sessions.js';
import { Session } from './session.js';
import type { Reply } from './session-reply.js';

const fold = (text: string): string => text.replace(/\s+/g, ' ').trim();

function digestOf({ description, inventory, admissible }: Reply): string {
  const text = [fold(description), fold(inventory), ...admissible].join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

const stepOf = (command: string, reply: Reply): RecordedStep => [
  command,
  fold(reply.text),
  reply.score,
  reply.won,
  reply.lost,
  reply.reward,
  reply.moves,
  digestOf(reply),
];

/** Steps whose commands hold several commands: the original's environment shows only a part of the replies. */
const hasSeveral = ([command]: RecordedStep): boolean => /[.]|\bthen\b/.test(command);

describe('a session in the way of the compiled story', () => {
  for (const { name, game, play } of recordedSessions) {
    it.each(Object.entries(play))(`says what the story of ${name} said, transcript %s`, (_, steps) => {
      const session = new Session(game, { compat: 'textworld' });
      const replies = steps.map(([command], index) =>
        stepOf(command, index === 0 ? session.start() : session.act(command)),
      );
      const shown = (step: RecordedStep, index: number): unknown =>
        hasSeveral(steps[index] as RecordedStep) ? [index, step[0]] : [index, ...step];
      expect(replies.map(shown)).toEqual(steps.map(shown));
    });
  }
});
