// Our side of the comparison with ALFWorld: households, in the original's files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { testHost } from '../../dist/testing/index.js';
import { readGame } from '../../plugins/env-alfworld/dist/game/game.js';
import { writeGameFile } from '../../plugins/env-alfworld/dist/game/game-file.js';
import { Session } from '../../plugins/env-alfworld/dist/game/session.js';
import { householdTexts, makeHousehold } from '../../plugins/env-alfworld/dist/generate/household.js';

/** Writes a household's file for the original, and opens it here with the behaviour of the original. */
export function makeGame(order, folder) {
  const texts = householdTexts(makeHousehold(order), false);
  const path = join(folder, `${order.room}-${order.seed}.tw-pddl`);
  writeFileSync(path, writeGameFile(texts));
  return { path, session: new Session(readGame(texts, 'alfworld'), 'alfworld') };
}

/** Lists of admissible commands, which depend on the seed only. */
export function randomEpisodes(session, seed, episodes, turns) {
  const { random } = testHost(seed);
  return Array.from({ length: episodes }, () => {
    session.start();
    const commands = [];
    while (commands.length < turns && !session.isWon()) {
      commands.push(random.choice(session.admissible()));
      session.act(commands.at(-1));
    }
    return commands;
  });
}

/** Seconds of resets and steps; the list is read after every step, as the other side does. */
export function playEpisodes(session, episodes) {
  const sums = { reset: 0, resets: episodes.length, step: 0, steps: 0, characters: 0 };
  let last;
  for (const commands of episodes) {
    const start = performance.now();
    session.start();
    // The original lists the commands of the first state, too.
    session.admissible();
    const begun = performance.now();
    for (const command of commands) {
      const reply = session.act(command);
      last = reply.text;
      for (const each of session.admissible()) sums.characters += each.length;
      sums.steps += 1;
      if (reply.won) break;
    }
    sums.reset += (begun - start) / 1000;
    sums.step += (performance.now() - begun) / 1000;
  }
  return { ...sums, last };
}

/** Seconds to make a household and to read it, on average over different ones. */
export function secondsToOpen(order, count) {
  const start = performance.now();
  for (let number = 0; number < count; number += 1) {
    const texts = householdTexts(makeHousehold({ ...order, seed: order.seed + number }), false);
    const session = new Session(readGame(texts, 'alfworld'), 'alfworld');
    session.start();
    session.admissible();
  }
  return (performance.now() - start) / 1000 / count;
}
