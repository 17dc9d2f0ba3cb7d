// Our side of the comparison: the same games, from the files that the original wrote.
import { readFileSync } from 'node:fs';

import { testHost } from '../../dist/testing/index.js';
import { readGame } from '../../plugins/env-textworld/dist/game/read-game.js';
import { generateCustom } from '../../plugins/env-textworld/dist/generate/custom.js';
import { makeSimple } from '../../plugins/env-textworld/dist/challenges/simple.js';
import { subSeeds } from '../../plugins/env-textworld/dist/generate/seeds.js';
import { writeProse } from '../../plugins/env-textworld/dist/prose/write-prose.js';
import { Session } from '../../plugins/env-textworld/dist/text/session.js';

export function openGame(path) {
  return new Session(readGame(JSON.parse(readFileSync(path, 'utf8'))));
}

/** Lists of admissible commands, which depend on the seed only. */
export function randomEpisodes(session, seed, episodes, turns) {
  const { random } = testHost(seed);
  return Array.from({ length: episodes }, () => {
    let reply = session.start();
    const commands = [];
    while (commands.length < turns && !reply.done) {
      const command = random.choice(reply.admissible);
      commands.push(command);
      reply = session.act(command);
    }
    return commands;
  });
}

/** Seconds of resets and steps; `admissible` reads the list after every step, as the other side does. */
export function playEpisodes(session, episodes, admissible) {
  const sums = { reset: 0, resets: episodes.length, step: 0, steps: 0, characters: 0 };
  for (const commands of episodes) {
    const start = performance.now();
    session.start();
    const begun = performance.now();
    for (const command of commands) {
      const reply = session.act(command);
      if (admissible) for (const each of reply.admissible) sums.characters += each.length;
      sums.steps += 1;
      if (reply.done) break;
    }
    sums.reset += (begun - start) / 1000;
    sums.step += (performance.now() - begun) / 1000;
  }
  return sums;
}

/** Seconds to generate one game with its words, on average. */
export function secondsToGenerate(setting, seeds, rounds) {
  const count = seeds * rounds * 20;
  const start = performance.now();
  for (let seed = 1; seed <= count; seed += 1) {
    const draft =
      setting.kind === 'custom'
        ? generateCustom(setting, subSeeds(seed))
        : makeSimple(subSeeds(seed), setting.settings);
    writeProse(draft, { seed });
  }
  return (performance.now() - start) / 1000 / count;
}
