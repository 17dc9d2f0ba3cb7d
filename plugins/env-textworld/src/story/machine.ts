import { loadInterpreter } from './interpreter.js';
import type { Dictionary, Fragment, Instructions, Interpreter, OutputState, StoryMemory } from './interpreter.js';
import type { StoryCode } from './story-code.js';
import { StoryFailure } from './story-error.js';
import type { StoryScreen } from './story-screen.js';
import { decodeText } from './story-text.js';

/** The interpreter of one game. */
export interface Machine extends Interpreter {
  /** Number of times that the story was started anew during play. */
  restarts: number;
  /** Prepares the memory as at the start, and waits. */
  startWithoutRunning(): void;
  /** Work that is left in this turn. When it is used up, a `StoryFailure` ends the turn. */
  work: number;
}

/** Bytes of the stack of calls; the interpreter's own default. */
const stackLength = 100_000;
/** The longest straight piece of code, in bytes. */
const longestPiece = 16_384;
/** Work of entering a piece of code; each of its bytes adds one. */
const entryWork = 8;
/** Rows of the upper window. */
const mostRows = 255;
/** Depth of output into the story's memory, from the standard. */
const deepestOutput = 16;
/** Characters of output into the story's memory. */
const largestOutput = 0x10000;
/** A story has one dictionary, rarely some more. */
const mostDictionaries = 4;
/** Work of reading one word of a dictionary. */
const wordWork = 200;
/** A number below the first bit of a 16-bit number is negative. */
const signed = (value: number) => (value << 16) >> 16;
const minusOne = 0xffff;
/** State of the random numbers where a story does not seed them, so that it plays the same every time. */
const firstSeed = 20_181;
const endless = 'the story does not come to the end of its turn';
/** Code of the instruction that unwinds the stack. */
const throwCode = 28;

/** A field that the interpreter sets when the game starts. */
const none = <T>() => undefined as T;

/** Makes the interpreter of a game. `story` is changed by play. */
export function createMachine(story: Uint8Array, code: StoryCode, screen: StoryScreen): Machine {
  const machine = new (boundedMachine())(code);
  machine.prepare(story, { Glk: screen, stack_len: stackLength });
  return machine;
}

let bounded: (new (code: StoryCode) => Machine) | undefined;

/**
 * The class of ifvms with three changes. It shares compiled code among games. Whatever a broken or hostile story does
 * ends after a bounded amount of work: the original has loops over tables of the story that may be circular, and makes
 * JavaScript of texts. And nothing reaches files: saving fails, as the standard allows, and transcripts go nowhere.
 */
function boundedMachine(): new (code: StoryCode) => Machine {
  bounded ??= class extends loadInterpreter() implements Machine {
    restarts = -1;
    work = 0;
    held = false;
    readonly code: StoryCode;
    // Declared here, the fields have fixed places. The original adds them by computed names, and every access is slow.
    story = none<Uint8Array>();
    override m = none<StoryMemory>();
    override ram = none<StoryMemory>();
    override staticmem = 0;
    override stack = none<StoryMemory>();
    override frameptr = 0;
    override frames: number[] = [];
    override s = none<Uint16Array>();
    override sp = 0;
    override l = none<Uint16Array>();
    override version = 0;
    override version3 = false;
    override pc = 0;
    override properties = 0;
    override objects = 0;
    override globals = 0;
    override eof = 0;
    override addr_multipler = 0;
    override opcodes = none<Instructions>();
    override io = none<OutputState>();
    override stop = 0;
    override undo: never[] = [];
    override undo_len = 0;
    override glk_blocking_call = null;
    override extension = 0;
    override extension_count = 0;

    constructor(code: StoryCode) {
      super();
      this.code = code;
    }

    /** The original deletes this field, which would make every access to the machine slow. */
    set data(story: Uint8Array) {
      this.story = story;
    }

    get data(): Uint8Array {
      return this.story;
    }

    /** The original makes a store of compiled code here. */
    override init(): void {}

    startWithoutRunning(): void {
      this.held = true;
      this.start();
      this.held = false;
    }

    override run(): void {
      if (this.held) return;
      const { places, fragments, costs } = this.code;
      this.stop = 0;
      while (this.stop === 0) {
        const place = places[this.pc] || this.compile();
        this.work -= costs[place] as number;
        if (this.work < 0) throw new StoryFailure(endless);
        const result = (fragments[place] as Fragment)(this);
        if (result !== undefined && !Number.isNaN(result)) this.ret(result);
      }
    }

    compile(): number {
      const address = this.pc;
      if (!(address >= this.staticmem)) throw new StoryFailure('the story runs code in memory that can change');
      const { m } = this;
      // Reading beyond the end of a shorter view throws, which bounds the piece.
      const end = Math.min(address + longestPiece, m.byteLength);
      this.m = new DataView(m.buffer, m.byteOffset, end) as typeof m;
      try {
        const piece = this.disassemble().toString();
        // It has no text of the story in it, only numbers.
        // oxlint-disable-next-line typescript/no-implied-eval
        return this.code.keep(address, new Function('e', piece) as Fragment, this.pc - address + entryWork);
      } finally {
        this.m = m;
      }
    }

    spend(work: number): void {
      this.work -= work;
      if (this.work < 0) throw new StoryFailure(endless);
    }

    override restart(): void {
      super.restart();
      this.restarts++;
      this.origram = this.code.startMemory ??= this.origram;
      if (this.code.instructions === undefined) {
        this.code.instructions = this.opcodes;
        const instruction = this.opcodes[throwCode];
        if (instruction) instruction.prototype.func = (value, depth) => `return e.unwind(${value}, ${depth})`;
      }
      this.opcodes = this.code.instructions;
    }

    override init_text(): void {
      if (this.code.startTables === undefined) {
        super.init_text();
        const { alphabets, unicode_table, reverse_unicode_table, abbr_addr, dict, dictionaries } = this;
        this.code.startTables = { alphabets, unicode_table, reverse_unicode_table, abbr_addr, dict, dictionaries };
      }
      Object.assign(this, this.code.startTables);
      this.dictionaries = { ...this.code.startTables.dictionaries };
    }

    override parse_dict(address: number): Dictionary {
      const { startTables } = this.code;
      // The story's own dictionary was checked with its header.
      if (startTables === undefined) return super.parse_dict(address);
      const start = address + 1 + this.m.getUint8(address);
      const words = this.m.getUint16(start + 1);
      this.spend(words * wordWork);
      if (start + 3 + words * this.m.getUint8(start) > this.m.byteLength) {
        throw new StoryFailure('a dictionary of the story is broken');
      }
      if (Object.keys(this.dictionaries).length > mostDictionaries) this.dictionaries = { ...startTables.dictionaries };
      return super.parse_dict(address);
    }

    /** Returns to the frame that is `depth` deep. The original never ends for a depth of 0. */
    unwind(value: number, depth: number): number {
      if (depth < 1 || depth > this.frames.length + 1) throw new StoryFailure('the story returns to nowhere');
      while (this.frames.length + 1 > depth) this.frameptr = this.frames.pop() as number;
      return value;
    }

    override print(type: number, value: number): void {
      if (type === 2) this._print(this.decode(value));
      else if (type === 3) {
        const name = this.m.getUint16(this.objects + (this.version3 ? 9 : 14) * value + (this.version3 ? 7 : 12));
        this._print(this.decode(name + 1, this.m.getUint8(name) * 2));
      } else super.print(type, value);
    }

    override _print(text: string): void {
      this.spend(text.length);
      if ((this.io.streams[3][0]?.[1].length ?? 0) > largestOutput) {
        throw new StoryFailure('the story prints more into its memory than there is');
      }
      super._print(text);
    }

    override decode(address: number, length?: number): string {
      const limit = length === undefined ? this.eof : address + length;
      const { text, end } = decodeText(this.m, this, address, Math.min(limit, this.m.byteLength));
      this.spend(end - address + text.length);
      return text;
    }

    /** The numbers of an object's properties fall; the original trusts that. */
    override find_prop(object: number, property: number, previous?: number): number {
      const { m, version3 } = this;
      let address = m.getUint16(this.objects + (version3 ? 9 : 14) * object + (version3 ? 7 : 12));
      address += m.getUint8(address) * 2 + 1;
      let last = 0;
      for (let count = 0; count < 64; count++) {
        const first = m.getUint8(address);
        const number = first & (version3 ? 31 : 63);
        if (last === previous) return number;
        const long = !version3 && (first & 0x80) !== 0;
        if (number === property) return address + (long ? 2 : 1);
        if (number < property || number === 0) return 0;
        last = number;
        if (version3) address += (first >> 5) + 2;
        else if (long) address += (m.getUint8(address + 1) & 63 || 64) + 2;
        else address += (first & 0x40) === 0 ? 2 : 3;
      }
      throw new StoryFailure("the story's properties are broken");
    }

    override remove_obj(object: number): void {
      const parent = this.get_parent(object);
      if (parent === 0) return;
      const next = this.get_sibling(object);
      let child = this.get_child(parent);
      if (child === object) {
        this.set_family(object, 0, parent, next);
        return;
      }
      for (let count = 0; count < 0x10000 && child !== 0; count++) {
        const sibling = this.get_sibling(child);
        if (sibling === object) {
          this.set_family(object, 0, 0, 0, child, next);
          return;
        }
        child = sibling;
      }
      throw new StoryFailure("the story's objects are in no order");
    }

    override random(range: number): number {
      if (range > 0 && this.xorshift_seed === 0) this.xorshift_seed = firstSeed;
      return super.random(range);
    }

    override copy_table(from: number, to: number, size: number): void {
      this.spend(Math.abs(signed(size)));
      super.copy_table(from, to, size);
    }

    override scan_table(key: number, address: number, length: number, form?: number): number {
      this.spend(length);
      // A step of 0 would stay where it is.
      if (form !== undefined && (form & 127) === 0) return 0;
      return super.scan_table(key, address, length, form);
    }

    override print_table(address: number, columns: number, rows = 1, skip = 0): void {
      for (let row = 0; row < Math.max(rows, 1); row++) {
        if (row > 0) this.print(1, 13);
        this.spend(columns);
        for (let column = 0; column < columns; column++) {
          this.print(4, this.m.getUint8(address + row * (columns + skip) + column));
        }
      }
    }

    override split_window(lines: number): void {
      super.split_window(Math.min(lines, mostRows));
    }

    override output_stream(stream: number, address?: number, called_from_print?: number): void {
      const { io } = this;
      switch (signed(stream)) {
        case 2:
        case -2:
          io.transcript = signed(stream) > 0 ? 1 : 0;
          this.ram.setUint8(0x11, (this.ram.getUint8(0x11) & 0xfe) | io.transcript);
          return;
        case 4:
        case -4:
          return;
        case 3:
          if (io.streams[3].length >= deepestOutput) throw new StoryFailure('the story nests its output too deeply');
          break;
        case -3:
          if (io.streams[3].length === 0) return;
      }
      super.output_stream(stream, address, called_from_print);
    }

    override input_stream(): void {
      this.stop = 0;
    }

    override save(pc: number): void {
      this.refuseFile(pc, 'save');
    }

    override restore(pc: number): void {
      this.refuseFile(pc, 'restore');
    }

    refuseFile(pc: number, func: 'save' | 'restore'): void {
      this.pc = pc;
      this.fileref_data = { func };
      this.save_restore_handler(undefined);
      this.stop = 0;
    }

    /** The original's interpreter offers no undo either. */
    override save_undo(): number {
      return minusOne;
    }
  };
  return bounded;
}
