import { expect, it } from 'vitest';

import { LineClock } from './line-clock.js';

const at = (hours: number, seconds: number) => Date.UTC(2026, 0, 1, hours, 0, seconds);
const line = (runStep: number, seconds: number) => ({
  stage: 'rl',
  step: runStep,
  runStep,
  metrics: { 'time/run_seconds': seconds },
});

it('lines have the time of their session, and pauses between sessions count', () => {
  const sessions = [
    { startedAt: new Date(at(1, 0)).toISOString(), fromStep: 0 },
    // It ended before it wrote a line.
    { startedAt: new Date(at(2, 0)).toISOString(), fromStep: 2 },
    { startedAt: new Date(at(3, 0)).toISOString(), fromStep: 2 },
  ];
  const clock = new LineClock({ sessions });
  expect([line(1, 10), line(2, 20), line(3, 25), line(4, 31)].map((one) => clock.timeOf(one))).toEqual([
    at(1, 10),
    at(1, 20),
    at(3, 5),
    at(3, 11),
  ]);
});
