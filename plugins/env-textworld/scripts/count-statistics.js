// Prints the statistics of generated games that the README compares with the original's: node scripts/count-statistics.js
// Seeds 1 to 100 of each custom setting, 1 to 150 of `simple`, as the reference figures were measured.
import { testHost } from '@agentgym/cli/testing';

import { generateCustom } from '../dist/generate/custom.js';
import { subSeeds } from '../dist/generate/seeds.js';
import { makeSimple } from '../dist/challenges/simple.js';
import { NativeAdventure } from '../dist/native-adventure.js';
import { writeProse } from '../dist/prose/write-prose.js';

const episodesPerGame = 30;
/** Commands that change nothing. */
const idle = /^(look|inventory|examine .*)$/;
const custom = [
  { rooms: 2, objects: 3, questLength: 4, turns: [6, 8, 12, 16] },
  { rooms: 8, objects: 3, questLength: 4, turns: [12, 16] },
  { rooms: 2, objects: 12, questLength: 4, turns: [12] },
  { rooms: 8, objects: 12, questLength: 4, turns: [12] },
  { rooms: 4, objects: 6, questLength: 8, turns: [24] },
];

for (const { turns, ...setting } of custom) {
  const games = seeds(100).map((seed) => write(generateCustom(setting, subSeeds(seed)), seed));
  const walks = games.flatMap(({ walkthrough }) => walkthrough);
  console.log(`w${setting.rooms}-o${setting.objects}-q${setting.questLength}`);
  console.log(
    `  objects                 ${spread(games.map((game) => count(game, (type) => !'rdPI'.includes(type))))}`,
  );
  console.log(`  doors                   ${mean(games.map((game) => count(game, (type) => type === 'd'))).toFixed(2)}`);
  console.log(`  games with two quests   ${percent(games.map(({ quests }) => quests.length === 2))}`);
  console.log(
    `  walkthrough shorter     ${percent(games.map((game) => game.walkthrough.length < setting.questLength))}`,
  );
  const verbs = ['go', 'take', 'open', 'unlock'].map((verb) =>
    percent(walks.map((walk) => walk.startsWith(`${verb} `))),
  );
  console.log(`  go / take / open / unlock  ${verbs.join(' / ')}`);
  console.log(`  admissible at the start ${spread(games.map((game) => started(game).admissible().length))}`);
  for (const useful of [false, true]) {
    const rates = turns.map((limit) =>
      percent(
        games.flatMap((game, i) => randomPlays(game, i, limit, useful)),
        1,
      ),
    );
    console.log(`  random${useful ? ', changing commands' : ''} in ${turns.join(' / ')} turns  ${rates.join(' / ')}`);
  }
}
for (const rewards of ['sparse', 'balanced', 'dense']) {
  const games = seeds(150).map((seed) =>
    write(makeSimple(subSeeds(seed), { rewards, goal: 'detailed', test: false }), seed),
  );
  const lengths = games.map(({ walkthrough }) => walkthrough.length);
  const share = (length) => percent(lengths.map((one) => one === length));
  console.log(`simple, ${rewards}`);
  console.log(`  steps per reward        ${mean(games.map((game, i) => lengths[i] / game.maximumScore)).toFixed(2)}`);
  console.log(`  walkthrough 8 / 9 / 12  ${[8, 9, 12].map(share).join(' / ')}`);
  console.log(
    `  maximum scores          ${[...new Set(games.map((game) => game.maximumScore))].sort((a, b) => a - b).join(', ')}`,
  );
}

function seeds(number) {
  return Array.from({ length: number }, (_, i) => i + 1);
}

function write(draft, seed) {
  return writeProse(draft, { seed, instructions: 'steps' });
}

function started(game) {
  const adventure = new NativeAdventure(game, 'corrected');
  adventure.start();
  return adventure;
}

/** Whether random play wins; the numbers depend on the game and the limit only. */
function randomPlays(game, index, limit, useful) {
  const { random } = testHost(1 + index * 100 + limit);
  return Array.from({ length: episodesPerGame }, () => {
    const adventure = started(game);
    for (let turn = 0; turn < limit; turn += 1) {
      const commands = adventure.admissible().filter((command) => !useful || !idle.test(command));
      const { won, lost } = adventure.act(commands.length === 0 ? 'look' : random.choice(commands));
      if (won || lost) return won;
    }
    return false;
  });
}

function count(game, wanted) {
  return [...game.entities.values()].filter(({ type }) => wanted(type)).length;
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function spread(numbers) {
  return `${mean(numbers).toFixed(2)} (${Math.min(...numbers)} to ${Math.max(...numbers)})`;
}

function percent(answers, digits = 0) {
  return `${(100 * mean(answers.map(Number))).toFixed(digits)} %`;
}
