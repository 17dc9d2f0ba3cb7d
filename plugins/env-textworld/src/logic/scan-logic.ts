import { LogicError } from './logic-error.js';

const spaces = /\s/;
const patterns = {
  /** Names of types, with the minus that the notation allows there. */
  type: /[\p{L}\p{N}_/-]+/uy,
  placeholder: /[\p{L}\p{N}_']+/uy,
  fact: /!?[\p{L}\p{N}_/]+/uy,
  rule: /[\p{L}\p{N}_/]+/uy,
} as const;

/** Reads the words and marks of a `.twl` text one after the other; spaces and comments lie between them. */
export class LogicScanner {
  private at = 0;
  /** Where lines were last counted, and the line there. */
  private counted = { at: 0, line: 1 };

  constructor(private readonly text: string) {
    this.skip();
  }

  get done(): boolean {
    return this.at >= this.text.length;
  }

  /** Line of the next word or mark. */
  get line(): number {
    const { text, at } = this;
    let { line } = this.counted;
    let index = text.indexOf('\n', this.counted.at);
    for (; index >= 0 && index < at; index = text.indexOf('\n', index + 1)) line++;
    this.counted = { at, line };
    return line;
  }

  fail(message: string): never {
    throw new LogicError(message, this.line);
  }

  /** Whether the mark comes next; passes it if so. */
  takes(mark: string): boolean {
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    this.skip();
    return true;
  }

  expect(mark: string): void {
    if (!this.takes(mark)) this.fail(`expected \`${mark}\`, found ${this.next()}`);
  }

  /** A name of the kind, or an empty text if something else comes next. */
  name(kind: keyof typeof patterns): string {
    const pattern = patterns[kind];
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    this.skip();
    return found;
  }

  expectName(kind: keyof typeof patterns): string {
    return this.name(kind) || this.fail(`expected a name of a ${kind}, found ${this.next()}`);
  }

  /** Whether the word comes next, as a whole; passes it if so. */
  takesWord(word: string): boolean {
    const start = this.at;
    if (this.name('type') === word) return true;
    this.at = start;
    return false;
  }

  /** Text between quotes. It may go over several lines and holds no quotes. */
  quoted(): string {
    return this.between('"');
  }

  /** Text between triple quotes. */
  block(): string {
    return this.between('"""');
  }

  private between(quote: string): string {
    if (!this.text.startsWith(quote, this.at)) this.fail(`expected \`${quote}\`, found ${this.next()}`);
    const start = this.at + quote.length;
    const end = this.text.indexOf(quote, start);
    if (end < 0) this.fail('a text without closing quotes');
    this.at = end + quote.length;
    this.skip();
    return this.text.slice(start, end);
  }

  private next(): string {
    return this.done ? 'the end of the text' : `\`${this.text.slice(this.at, this.at + 20).split('\n')[0] ?? ''}\``;
  }

  private skip(): void {
    const { text } = this;
    while (this.at < text.length) {
      const code = text.charCodeAt(this.at);
      if (code === 0x20 || code === 0x0a || (code !== 0x23 && spaces.test(text.charAt(this.at)))) {
        this.at++;
      } else if (code === 0x23) {
        const end = text.indexOf('\n', this.at);
        this.at = end < 0 ? text.length : end + 1;
      } else {
        return;
      }
    }
  }
}
