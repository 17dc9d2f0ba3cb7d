import type { SplitName } from '../contracts/environment.js';
import { AgentgymError } from '../errors/agentgym-error.js';
import { dataError, rowName } from './data-error.js';
import { hashId } from './hash-id.js';
import { writeIndex } from './index-file.js';
import { checkValue, type ColumnShape, nameIn, ShapeError } from './row-shape.js';
import type { RawRow, RowFile } from './rows.js';
import { sortHashes } from './sort-hashes.js';
import { dataSplitNames, type SplitRule } from './split-rule.js';
import { TextList } from './text-list.js';

/** A file whose rows are indexed. */
export interface IndexedFile {
  readonly path: string;
  readonly bytes: number;
  readonly part: string;
  readonly rows: RowFile;
}

/** What an index is made of. */
export interface IndexPlan {
  /** In the order of their rows. Files of one part are neighbours. */
  readonly files: readonly IndexedFile[];
  /** Every row must have these. */
  readonly shapes: readonly ColumnShape[];
  /** The column with the id of a row. Absent: rows are named by their places. */
  readonly id?: string | undefined;
  /** The column with the part of a row. Absent: that of its file. */
  readonly part?: string | undefined;
  readonly rule: SplitRule;
  readonly key: string;
}

/** Rows in a sequence, and how their places are named: `NAME/17`, or `17` if the name is empty. */
export interface NamedRows {
  readonly name: string;
  readonly first: number;
  readonly rows: number;
}

/** The header of an index. */
export interface IndexFacts {
  readonly rows: number;
  /** `starts`: where the array of starts of a file of lines begins. */
  readonly files: readonly { readonly first: number; readonly rows: number; readonly starts?: number }[];
  readonly parts: readonly NamedRows[];
}

/**
 * Reads all files, checks every row, and writes the index. Its arrays are
 *
 * - `starts`: for each file of lines where its rows start in bytes, and its end;
 * - `splits`: the split of each row, as a place in `dataSplitNames`, from 1; 0 for none;
 * - `train`, `validation`, `test`: the rows of each split;
 * - `ids` and `idEnds`: the ids as text; `hashes`: of each id 32 bits of its hash above its row, ascending.
 *
 * @throws AG_DATA if a row is not as declared, two rows have one id, or a file has no rows; the reason of the signal
 */
export async function buildIndex(path: string, plan: IndexPlan, signal: AbortSignal): Promise<void> {
  const index = new IndexBuilder(plan);
  for (const file of plan.files) {
    index.begin(file);
    for await (const { rows, starts = [] } of file.rows.scan(signal)) {
      for (const row of rows) index.add(row);
      for (const start of starts) index.starts.push(start);
    }
    index.end();
  }
  await writeIndex(path, index.facts, index.arrays());
}

/** The rows of a file, as far as they were read. */
interface IndexedRows {
  readonly file: IndexedFile;
  readonly first: number;
  rows: number;
  readonly starts?: number;
}

class IndexBuilder {
  readonly starts: number[] = [];
  readonly #plan: IndexPlan;
  #rows = 0;
  readonly #files: IndexedRows[] = [];
  readonly #parts: { name: string; first: number; rows: number }[] = [];
  readonly #partsSeen = new Set<string>();
  readonly #splits: number[] = [];
  readonly #rowsOf: { readonly [split in SplitName]: number[] } = { train: [], validation: [], test: [] };
  readonly #hashes: number[] = [];
  readonly #ids = new TextList();

  constructor(plan: IndexPlan) {
    this.#plan = plan;
  }

  begin(file: IndexedFile): void {
    const name = this.#plan.part === undefined ? file.part : '';
    if (this.#parts.at(-1)?.name !== name) this.#parts.push({ name, first: this.#rows, rows: 0 });
    this.#files.push({ file, first: this.#rows, rows: 0, ...(file.rows.lines && { starts: this.starts.length }) });
  }

  end(): void {
    const { file, first } = last(this.#files);
    const rows = this.#rows - first;
    if (rows === 0) {
      throw dataError(file.path, {
        problem: 'has no rows',
        hint: 'It is empty: download or write it again, or leave it out.',
      });
    }
    last(this.#files).rows = rows;
    last(this.#parts).rows += rows;
    if (file.rows.lines) this.starts.push(file.bytes);
  }

  add(row: RawRow): void {
    const { file, first } = last(this.#files);
    try {
      this.#add(row, file);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      const { message: problem, hint } = error;
      throw dataError(file.path, { problem, hint, row: this.#rows - first + 1, lines: file.rows.lines });
    }
    this.#rows += 1;
  }

  #add(row: RawRow, file: IndexedFile): void {
    const plan = this.#plan;
    for (const shape of plan.shapes) checkValue(row, shape);
    const id = plan.id === undefined ? placeId(last(this.#parts), this.#rows) : nameIn(row, plan.id, 'its id');
    const part = plan.part === undefined ? file.part : nameIn(row, plan.part, 'its part');
    const divides = plan.rule.divides(part);
    const hash = plan.id !== undefined || divides ? hashId(id, plan.key) : undefined;
    if (hash !== undefined && plan.id !== undefined) {
      this.#ids.add(id);
      this.#hashes.push(hash.word);
    }
    const split = plan.rule.splitOf(part, hash?.draw ?? 0);
    this.#splits.push(split === undefined ? 0 : dataSplitNames.indexOf(split) + 1);
    if (split !== undefined) this.#rowsOf[split].push(this.#rows);
    this.#partsSeen.add(part);
  }

  get facts(): IndexFacts {
    const files = this.#files.map(({ file: _, ...facts }) => facts);
    return { rows: this.#rows, files, parts: this.#parts };
  }

  arrays() {
    this.#refuseEmptySplits();
    return {
      starts: Float64Array.from(this.starts),
      splits: Uint8Array.from(this.#splits),
      train: Uint32Array.from(this.#rowsOf.train),
      validation: Uint32Array.from(this.#rowsOf.validation),
      test: Uint32Array.from(this.#rowsOf.test),
      hashes: sortHashes(this.#hashes, (row, other) => this.#refuseEqual(row, other)),
      ids: this.#ids.bytes,
      idEnds: Float64Array.from(this.#ids.ends),
    };
  }

  #refuseEmptySplits(): void {
    const missing = this.#plan.rule.required.find(([, part]) => !this.#partsSeen.has(part));
    if (missing === undefined && this.#splits.some((split) => split > 0)) return;
    throw new AgentgymError('AG_DATA', {
      message:
        missing === undefined
          ? 'No row is in a split.'
          : `The split ${missing[0]} takes the part "${missing[1]}", which has no rows.`,
      hint: `The parts of this data set are ${[...this.#partsSeen].join(', ')}. Name them in \`splits\`.`,
    });
  }

  /** Throws if two rows with equal hashes have equal ids, too. */
  #refuseEqual(row: number, other: number): void {
    const id = this.#ids.at(row);
    if (id !== this.#ids.at(other)) return;
    const [one, two] = [row, other]
      .sort((a, b) => a - b)
      .map((each) => {
        const { file, first } = this.#files.findLast((one) => one.first <= each) as IndexedRows;
        return rowName(file.path, each - first + 1);
      });
    throw new AgentgymError('AG_DATA', {
      message: `${one} and ${two?.replace('Row', 'row')} have the same id, "${id}".`,
      hint: 'Remove one of them, or leave `id` out: rows are then named by their places.',
    });
  }
}

/** The id of a row that is named by its place. */
export function placeId({ name, first }: NamedRows, row: number): string {
  return name === '' ? String(row - first) : `${name}/${row - first}`;
}

function last<T>(items: readonly T[]): T {
  return items.at(-1) as T;
}
