// Compares transcripts of AgentGym's text wrapper: lines of agentgym.jsonl.gz.
import { generateLevel } from '../../../plugins/env-babyai/dist/levels/generate-level.js';
import { levels } from '../../../plugins/env-babyai/dist/levels/level-table.js';
import { NumpyGenerator } from '../../../plugins/env-babyai/dist/random/numpy-generator.js';
import { AgentGymSession } from '../../../plugins/env-babyai/dist/text/agentgym-session.js';

const levelById = new Map(levels.map((level) => [level.id, level]));

/** Compares a transcript; calls `check(part, what, recorded, ours)` for every value. */
export function compareTranscript(line, check) {
  const level = levelById.get(line.id);
  if (level === undefined) throw new Error(`there is no level ${line.id}`);
  const session = new AgentGymSession(generateLevel(level, new NumpyGenerator(line.seed)));
  compareReply('start', 'reset', line.start, session.start(), check);
  let ended = false;
  for (const [at, { action, reply, pose, native_steps: steps }] of line.steps.entries()) {
    const place = `step ${at} ${JSON.stringify(action)}`;
    if (reply.error !== undefined) {
      // Only what follows the end is an error; it names the number of the session.
      check('error', place, /has finished/.test(reply.error), ended);
      continue;
    }
    const ours = session.step(action);
    ended = ours.done;
    compareReply('steps', place, reply, ours, check);
    const { x, y, direction, steps: ourSteps } = session.world;
    check('pose', place, pose, [x, y, direction]);
    check('native steps', place, steps, ourSteps);
  }
}

function compareReply(part, place, recorded, ours, check) {
  for (const field of ['observation', 'reward', 'score', 'done']) {
    check(part, `${place} ${field}`, recorded[field], ours[field]);
  }
}
