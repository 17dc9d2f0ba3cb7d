import { StoryFailure } from './story-error.js';

/** What a story waits for: a line, a key, or nothing any more. */
export type Waiting = 'line' | 'key' | 'nothing';

/** A window of the interpreter. `rows` is undefined for the window that text flows through. */
export interface ScreenWindow {
  readonly rows: string[] | undefined;
  /** Its output stream; here the window itself. */
  readonly str: ScreenWindow;
  row: number;
  column: number;
}

const width = 80;
const height = 25;
/** Kind of window that has rows and columns, in the Glk interface. */
const gridKind = 4;
/** Kinds of events in the Glk interface. */
const keyEvent = 2;
const lineEvent = 3;
/** What the Glk interface calls Enter. */
const enterKey = 0xfffffffa;

/** Fields of an event, as the interpreter reads them. */
class EventFields {
  fields: readonly (number | string | null)[] = [];

  push_field(value: number | string): void {
    this.fields = [value];
  }

  get_field(place: number): number | string | null | undefined {
    return this.fields[place];
  }
}

/** A place for a result that the interpreter reads. */
class Box {
  #value = 0;

  set_value(value: number): void {
    this.#value = value;
  }

  get_value(): number {
    return this.#value;
  }
}

/**
 * The side of the Glk interface that an interpreter sees: windows, text, and requests for input. It holds text in
 * memory, and knows no files. Each game has its own, so games cannot disturb each other; the usual implementation
 * (glkapi) is one per process, and opens files. The names of most methods are given by the interface.
 */
export class StoryScreen {
  readonly RefStruct = EventFields;
  readonly RefBox = Box;
  waiting: Waiting = 'nothing';
  /** Rows of text above the story, such as a line with the room and the score. */
  upper: ScreenWindow | undefined;
  readonly #limit: number;
  #current: ScreenWindow | undefined;
  #pieces: string[] = [];
  #printed = 0;
  #line: number[] = [];
  #event = new EventFields();

  /** Texts of one turn longer than `limit` characters end the game. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The text since the last call. */
  takeText(): string {
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#printed = 0;
    return text;
  }

  /** Writes a line or a key where the interpreter reads it when it is resumed. */
  answer(text: string): void {
    if (this.waiting === 'line') {
      const length = Math.min(text.length, this.#line.length);
      for (let place = 0; place < length; place++) this.#line[place] = text.charCodeAt(place);
      this.#event.fields = [lineEvent, null, length, 13];
    } else {
      this.#event.fields = [keyEvent, null, text === '' ? enterKey : text.charCodeAt(0)];
    }
    this.waiting = 'nothing';
  }

  /** Opens the window above the story, as a snapshot had it. */
  openUpper(rows: number): ScreenWindow {
    return this.glk_window_open(undefined, 0, rows, gridKind, 1);
  }

  /** Waits again as a snapshot did. A line is written to `line`. */
  resumeWaiting(waiting: Waiting, line: number[]): void {
    this.waiting = waiting;
    this.#line = line;
  }

  glk_put_jstring(text: string): void {
    this.glk_put_jstring_stream(this.#current, text);
  }

  glk_put_jstring_stream(target: ScreenWindow | undefined, text: string): void {
    if (target?.rows !== undefined) {
      writeRow(target, text);
      return;
    }
    const room = this.#limit - this.#printed;
    this.#pieces.push(text.length > room ? text.slice(0, room) : text);
    this.#printed += text.length;
    if (text.length > room) throw new StoryFailure(`the story printed more than ${this.#limit} characters in one turn`);
  }

  glk_window_open(_split: unknown, _method: number, size: number, kind: number, rock: number): ScreenWindow {
    const rows = kind === gridKind ? Array.from({ length: size }, () => '') : undefined;
    const opened = { rows, row: 0, column: 0 } as {
      rows: string[] | undefined;
      str: ScreenWindow;
      row: number;
      column: number;
    };
    opened.str = opened;
    // Without a rock it is opened only to be measured.
    if (rows !== undefined && rock !== 0) this.upper = opened;
    return opened;
  }

  glk_window_close(closed: ScreenWindow): void {
    if (closed === this.upper) this.upper = undefined;
  }

  glk_window_clear(cleared: ScreenWindow): void {
    cleared.rows?.fill('');
  }

  glk_window_get_parent(child: ScreenWindow): ScreenWindow {
    return child;
  }

  glk_window_get_stream(target: ScreenWindow): ScreenWindow {
    return target;
  }

  /** The only window that the interpreter resizes is the upper one. */
  glk_window_set_arrangement(target: ScreenWindow, _method: number, size: number): void {
    const { rows } = target;
    if (rows === undefined) return;
    while (rows.length < size) rows.push('');
    rows.length = size;
  }

  glk_window_move_cursor(target: ScreenWindow, column: number, row: number): void {
    target.column = column;
    target.row = row;
  }

  glk_window_get_size(_target: ScreenWindow, widthBox: Box | 0, heightBox: Box | 0): void {
    if (widthBox !== 0) widthBox.set_value(width);
    if (heightBox !== 0) heightBox.set_value(height);
  }

  glk_set_window(target: ScreenWindow): void {
    this.#current = target;
  }

  glk_request_line_event_uni(_target: ScreenWindow, line: number[]): void {
    this.#line = line;
    this.waiting = 'line';
  }

  glk_request_char_event_uni(): void {
    this.waiting = 'key';
  }

  glk_select(event: EventFields): void {
    this.#event = event;
  }

  glk_exit(): void {
    this.waiting = 'nothing';
  }

  /** The interpreter would print the error and go on. */
  fatal_error(error: unknown): never {
    throw error;
  }

  /** No optional capabilities. */
  glk_gestalt(): 0 {
    return 0;
  }

  glk_set_style(): void {}
  glk_stylehint_set(): void {}
  glk_stylehint_clear(): void {}
  update(): void {}
}

function writeRow(target: ScreenWindow, text: string): void {
  const rows = target.rows as string[];
  if (text === '\n') {
    target.row++;
    target.column = 0;
    return;
  }
  const old = rows[target.row];
  if (old !== undefined && target.column < width) {
    const end = target.column + text.length;
    rows[target.row] = (old.slice(0, target.column).padEnd(target.column) + text + old.slice(end)).slice(0, width);
  }
  target.column += text.length;
}
