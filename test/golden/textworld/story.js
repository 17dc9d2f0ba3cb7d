// Compares stories played by the built plugin with recordings of the interpreter that TextWorld uses: NAME.jsonl.gz
// with NAME.z8.gz or NAME.z8 beside it. Every recorded text and status line is compared twice: with games played one
// after another, and with eight games in turns. White space is folded.
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { openStory } from '../../../plugins/env-textworld/dist/story/story.js';

/** Games that are played at the same time. */
const together = 8;

const fold = (text) => text.replace(/\s+/g, ' ').trim();

/** The text and the status line of a recorded turn: they are separated by the prompt and a long run of blanks. */
function readTurn(raw) {
  const blanks = raw.lastIndexOf(' '.repeat(100));
  const text = (blanks < 0 ? raw : raw.slice(0, blanks)).trimEnd();
  return {
    text: fold(text.endsWith('\n>') ? text.slice(0, -1) : text),
    status: fold(blanks < 0 ? '' : raw.slice(blanks)),
  };
}

/** The recorded games: each is a list of turns, the first without a command. */
function readGames(file) {
  const games = [];
  for (const line of gunzipSync(readFileSync(file)).toString('utf8').split('\n').filter(Boolean)) {
    const { kind, start, command, raw } = JSON.parse(line);
    if (kind !== undefined) games.push({ kind, turns: [{ ...readTurn(start) }] });
    else games.at(-1).turns.push({ command, ...readTurn(raw) });
  }
  return games;
}

function readStory(file) {
  const packed = file.replace(/\.jsonl\.gz$/, '.z8.gz');
  const plain = packed.slice(0, -'.gz'.length);
  if (existsSync(packed)) return openStory(gunzipSync(readFileSync(packed)));
  if (existsSync(plain)) return openStory(readFileSync(plain));
  throw new Error(`${file} has no story beside it: ${basename(packed)} or ${basename(plain)}`);
}

/** Plays one recorded game turn by turn, and notes what is not equal. */
class Player {
  #place = 0;

  constructor(story, { kind, turns }, way, result) {
    Object.assign(this, { game: story.open(), kind, turns, way, result });
  }

  /** Plays the next turn. Returns false if there is none. */
  step() {
    const turn = this.turns[this.#place];
    if (turn === undefined) return false;
    const { command } = turn;
    const ours = { text: fold(command === undefined ? this.game.start() : this.game.act(command)) };
    ours.status = fold(this.game.statusLine);
    this.result.entries++;
    // The recorded line has no blanks between the room and the score.
    const equal = ours.text === turn.text && ours.status.replaceAll(' ', '') === turn.status.replaceAll(' ', '');
    if (equal) this.result.equal++;
    else {
      const { text, status } = turn;
      this.result.unequal.push({
        way: this.way,
        kind: this.kind,
        place: this.#place,
        command,
        theirs: { text, status },
        ours,
      });
    }
    this.#place++;
    if (this.#place === this.turns.length) this.game.dispose();
    return true;
  }
}

/**
 * Compares a recording with its story. Returns the number of recorded turns played (each twice), of equal ones, and
 * the others. Throws if the recording or the story cannot be read.
 */
export async function checkStory(file) {
  const games = readGames(file);
  const story = readStory(file);
  const result = { file, games: games.length, entries: 0, equal: 0, unequal: [] };
  for (const game of games) {
    const player = new Player(story, game, 'alone', result);
    while (player.step());
  }
  // Games of two readings of the story, so that some share what they compiled and others do not.
  const others = [story, readStory(file)];
  // Every recorded game is played the same number of times.
  const copies = Math.ceil(together / games.length);
  const players = Array.from({ length: games.length * copies }, (_, number) => {
    return new Player(others[number % 2], games[number % games.length], 'together', result);
  });
  for (let playing = players; playing.length > 0;) playing = playing.filter((player) => player.step());
  return result;
}

/** Compares a recording with its story and prints counts and unequal turns. Returns 1 if there is one, else 0. */
export async function compareStory(file) {
  const { games, entries, equal, unequal } = await checkStory(file);
  const share = `${equal} of ${entries} turns agree`;
  console.log(`${file}: ${share}, of ${games} games, each played alone and among others`);
  for (const { way, kind, place, command, theirs, ours } of unequal) {
    console.log(`UNEQUAL ${kind} ${place} ${JSON.stringify(command ?? 'start')}, ${way}`);
    console.log(`    recorded ${JSON.stringify(theirs)}\n    ours     ${JSON.stringify(ours)}`);
  }
  return unequal.length > 0 ? 1 : 0;
}
