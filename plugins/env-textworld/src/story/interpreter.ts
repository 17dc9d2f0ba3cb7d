import { createRequire } from 'node:module';

import type { ScreenWindow, StoryScreen } from './story-screen.js';
import type { TextTables } from './story-text.js';

/** Memory of a story as ifvms sees it. */
export interface StoryMemory extends DataView {
  getUint8Array(start: number, length: number): Uint8Array;
  setUint8Array(start: number, bytes: Uint8Array): void;
}

/** A straight piece of the story's code, compiled to JavaScript. A number is the result of the present routine. */
export type Fragment = (machine: Interpreter) => number | undefined;

/** Writes an instruction as JavaScript; its operands write themselves as expressions. */
type WriteInstruction = (first: string, second: string) => string;

/** Instructions by code. */
export type Instructions = { [code: number]: { prototype: { func: WriteInstruction } } };

/** Words of a dictionary by their encoded letters, and its separators. */
export type Dictionary = Record<string, unknown>;

/** State of the output. Stream 3 writes into the story's memory. */
export interface OutputState {
  streams: [unknown, number, { mode?: number }, [number, string][], { mode?: number }];
  transcript: number;
  currentwin: number;
  height: number;
  [name: string]: unknown;
}

/** Where the story wants its input. */
export interface ReadRequest {
  buffer?: number[];
  [name: string]: unknown;
}

/** The parts of the class ZVM of ifvms 1.1.6 that are used here. */
export interface Interpreter extends TextTables {
  /** The whole memory; below `staticmem` it can change. */
  m: StoryMemory;
  ram: StoryMemory;
  staticmem: number;
  origram: Uint8Array;
  eof: number;
  version: number;
  version3: boolean;
  /** Address of the next instruction. */
  pc: number;
  /** Whether `run` ends: the story waits. */
  stop: number;
  quit?: number;
  stack: StoryMemory;
  /** Locals and stack of the present routine. */
  l: Uint16Array;
  s: Uint16Array;
  sp: number;
  frameptr: number;
  frames: number[];
  properties: number;
  objects: number;
  globals: number;
  extension: number;
  extension_count: number;
  undo: never[];
  undo_len: number;
  glk_blocking_call: null;
  /** State of the random numbers; 0 if the story did not seed them. */
  xorshift_seed: number;
  opcodes: Instructions;
  dictionaries: Record<number, Dictionary>;
  io: OutputState;
  read_data: ReadRequest;
  fileref_data: { func: 'save' | 'restore' };
  upperwin: ScreenWindow | null | undefined;
  mainwin: ScreenWindow;
  Glk: StoryScreen;
  alphabets: TextTables['alphabets'];
  unicode_table: TextTables['unicode_table'];
  reverse_unicode_table: object;
  abbr_addr: number;
  addr_multipler: number;
  dict: number;

  init(): void;
  prepare(story: Uint8Array, options: { readonly Glk: StoryScreen; readonly stack_len: number }): void;
  start(): void;
  resume(): void;
  run(): void;
  restart(): void;
  disassemble(): { toString(): string };
  ret(result: number): void;
  make_stacks(): void;
  init_text(): void;
  parse_dict(address: number): Dictionary;
  print(type: number, value: number): void;
  _print(text: string): void;
  decode(address: number, length?: number): string;
  find_prop(object: number, property: number, previous?: number): number;
  get_parent(object: number): number;
  get_child(object: number): number;
  get_sibling(object: number): number;
  set_family(
    object: number,
    newParent: number,
    parent: number,
    child: number,
    olderSibling?: number,
    youngerSibling?: number,
  ): void;
  remove_obj(object: number): void;
  random(range: number): number;
  copy_table(from: number, to: number, size: number): void;
  scan_table(key: number, address: number, length: number, form?: number): number;
  print_table(address: number, width: number, height?: number, skip?: number): void;
  split_window(lines: number): void;
  output_stream(stream: number, address?: number, called_from_print?: number): void;
  input_stream(stream: number): void;
  save(pc: number): void;
  restore(pc: number): void;
  save_restore_handler(file: undefined): void;
  save_undo(pc: number, variable: number): number;
}

const require = createRequire(import.meta.url);

let loaded: (new () => Interpreter) | undefined;

/** The class of ifvms that plays stories. It is loaded when a story is first played. */
export function loadInterpreter(): new () => Interpreter {
  loaded ??= (require('ifvms') as { readonly ZVM: new () => Interpreter }).ZVM;
  return loaded;
}
