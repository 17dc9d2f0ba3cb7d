import { cleanCommand } from './clean-command.js';
import { createMachine, type Machine } from './machine.js';
import { StoryCode } from './story-code.js';
import { StoryError, StoryFailure } from './story-error.js';
import { readStoryHeader, type StoryHeader } from './story-header.js';
import { StoryScreen, type Waiting } from './story-screen.js';
import { putBack, takeSnapshot, type StorySnapshot } from './story-snapshot.js';

/** Bounds of one turn of a game. A game that exceeds one ends. */
export interface StoryLimits {
  /**
   * Work of the interpreter, about the bytes of the instructions that it runs. A turn of TextWorld's own stories takes
   * 0.3 to 15 million.
   */
  readonly work: number;
  /** Characters of printed text. */
  readonly text: number;
}

const usualLimits: StoryLimits = { work: 200_000_000, text: 100_000 };
/** The largest story of version 8 has 512 kB. */
const largestStory = 1 << 20;

/**
 * Checks the bytes of a story (Z-machine, versions 3, 4, 5 and 8). Throws `StoryError` if they are not a story, are
 * damaged, or are more than `largest`.
 */
export function openStory(bytes: Uint8Array, largest = largestStory): StoryFile {
  if (bytes.length > largest) throw new StoryError(`the story has ${bytes.length} bytes; at most ${largest} are read`);
  const header = readStoryHeader(bytes);
  // Not `slice`: that of a Buffer does not copy.
  return new StoryFile(header, new Uint8Array(bytes.subarray(0, header.length)));
}

/** How a story begins. It is always the same. */
interface Opening {
  readonly limits: StoryLimits;
  readonly text: string;
  readonly snapshot: StorySnapshot;
}

/** A story that was checked. Its games share compiled code and opening, so all but the first start quickly. */
export class StoryFile {
  readonly header: StoryHeader;
  readonly bytes: Uint8Array;
  readonly code: StoryCode;
  opening: Opening | undefined;

  constructor(header: StoryHeader, bytes: Uint8Array) {
    this.header = header;
    this.bytes = bytes;
    this.code = new StoryCode(bytes.length);
  }

  /** A new game. It begins with `start` or `restore`. */
  open(limits: Partial<StoryLimits> = {}): StoryGame {
    return new StoryGame(this, { ...usualLimits, ...limits });
  }

  /** Tells stories apart. */
  get name(): string {
    const { release, serial, checksum, length } = this.header;
    return [release, serial, checksum, length].join('-');
  }
}

/**
 * One game of a story, played in this thread. Texts are what the story prints in a turn, without prompt and without
 * empty lines around them.
 */
export class StoryGame {
  readonly #file: StoryFile;
  readonly #limits: StoryLimits;
  #screen: StoryScreen | undefined;
  #machine: Machine | undefined;
  #failure: string | undefined;

  constructor(file: StoryFile, limits: StoryLimits) {
    this.#file = file;
    this.#limits = limits;
  }

  /** Begins the game, or begins it anew, and returns the first text. */
  start(): string {
    const { opening } = this.#file;
    if (opening?.limits.text === this.#limits.text && opening.limits.work === this.#limits.work) {
      this.restore(opening.snapshot);
      return opening.text;
    }
    const { machine } = this.#renew();
    const text = this.#turn(() => machine.start());
    if (this.#failure === undefined) this.#file.opening = { limits: this.#limits, text, snapshot: this.snapshot() };
    return text;
  }

  /**
   * Plays a command, which may be any text, and returns the answer; an empty text if the game has ended. Where the
   * story waits for a key, it is the first character of the command, or Enter.
   */
  act(command: string): string {
    const machine = this.#machine;
    if (machine === undefined || this.ended) return '';
    this.#screen?.answer(cleanCommand(command));
    return this.#turn(() => machine.resume());
  }

  /** Whether the game takes no more commands: it has not begun, the story quit or broke, or it was disposed of. */
  get ended(): boolean {
    return this.waiting === 'nothing';
  }

  /** What the game waits for. */
  get waiting(): Waiting {
    return this.#screen?.waiting ?? 'nothing';
  }

  /** Why the game broke: its code is wrong, or it exceeded a limit. Undefined if it did not. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Text of the line above the story; in TextWorld's stories the room, and score and turns: `-= Attic =-  0/1`. */
  get statusLine(): string {
    return cleanText(this.#screen?.upper?.rows?.[0] ?? '').trim();
  }

  /** Number of times that the story was begun anew by its own commands. */
  get restarts(): number {
    return this.#machine?.restarts ?? 0;
  }

  /** The whole state as JSON. The game must have begun. */
  snapshot(): StorySnapshot {
    if (this.#machine === undefined || this.#screen === undefined) throw new Error('the game has not begun');
    return takeSnapshot(this.#file.name, this.#file.bytes, this.#machine, this.#screen);
  }

  /** Goes on from a snapshot of any game of the same story. Throws `StoryError` for other snapshots. */
  restore(snapshot: StorySnapshot): void {
    const { machine, screen } = this.#renew();
    try {
      putBack(snapshot, this.#file.name, this.#file.bytes, machine, screen);
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  /** Frees the memory of the game. It may begin again. */
  dispose(): void {
    this.#machine = undefined;
    this.#screen = undefined;
  }

  #renew(): { readonly machine: Machine; readonly screen: StoryScreen } {
    const screen = new StoryScreen(this.#limits.text);
    const machine = createMachine(this.#file.bytes.slice(), this.#file.code, screen);
    this.#screen = screen;
    this.#machine = machine;
    this.#failure = undefined;
    return { machine, screen };
  }

  #turn(play: () => void): string {
    const screen = this.#screen as StoryScreen;
    (this.#machine as Machine).work = this.#limits.work;
    try {
      play();
    } catch (error) {
      screen.waiting = 'nothing';
      this.#failure = describeFailure(error);
    }
    return withoutPrompt(cleanText(screen.takeText()));
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof StoryFailure) return error.message;
  if (error instanceof RangeError) return 'the story reads or writes outside of its memory';
  return `the story's code is broken: ${error instanceof Error ? error.message : String(error)}`;
}

/** Stories can print any character; those that control terminals or break encodings are left out. */
function cleanText(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cs}]/gu, '');
}

function withoutPrompt(text: string): string {
  let end = text.trimEnd().length;
  if (text[end - 1] === '>' && (end === 1 || text[end - 2] === '\n')) end--;
  return text.slice(0, end).replace(/^\n+/, '').trimEnd();
}
