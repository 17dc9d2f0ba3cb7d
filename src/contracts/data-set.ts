import type { Json } from './json.js';
import type { Random } from './random.js';

/** What a column holds. `json`: any value, such as a list of choices or of messages. */
export type DataType = 'string' | 'number' | 'boolean' | 'json';

/** The columns that a world reads, by name. With `?` a value may be missing or null; it is then null in the row. */
export interface DataColumns {
  readonly [column: string]: DataType | `${DataType}?`;
}

/** A row with its declared columns. Whole numbers of 64 bits are numbers, times are texts in ISO 8601. */
export type DataRow<Columns extends DataColumns> = {
  readonly [column in keyof Columns]: Columns[column] extends `${infer Type extends DataType}?`
    ? DataValue<Type> | null
    : Columns[column] extends DataType
      ? DataValue<Columns[column]>
      : never;
};

/** The value of a column in a row. */
export type DataValue<Type extends DataType> = {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly json: Json;
}[Type];

/**
 * The rows of a split: a whole part, or a share of one. Which rows are in a share depends on their ids alone, so other rows
 * do not matter. A split that takes the whole part gets what no share takes.
 */
export type DataPart = string | { readonly of: string; readonly share: number };

/**
 * Where the rows are, and what they hold. A row belongs to a *part*, which is how the data set names its splits: by files,
 * or by a column. `splits` says which parts are for training, validation and test.
 */
export interface DataSetOptions<Columns extends DataColumns = DataColumns> {
  /**
   * A folder as downloaded from the Hugging Face hub; a file; a list of files, which are one sequence of rows; or the
   * files of each part. Rows are in `.parquet`, or in `.jsonl`, `.ndjson` and `.json` with one JSON object a line.
   *
   * In a folder, the README.md says which files belong to which part. If it does not, the names do: `train-00000.parquet`
   * and `train/0000.parquet` are of `train`, `dev.jsonl` of `validation`. Rows without a part are of the part `train`.
   */
  readonly files: string | readonly string[] | { readonly [part: string]: string | readonly string[] };
  /** The configuration of the folder, such as `main`. Absent: the default one, or the only one. */
  readonly config?: string;
  readonly columns: Columns;
  /**
   * The column of the ids, with a text or a whole number that no other row has. Absent: a row's id is its part and its
   * place in it, such as `train/17`; where `part` is given, its place among all rows.
   */
  readonly id?: string;
  /** The column that names the part of a row. Absent: its file does. */
  readonly part?: string;
  /** Absent: the parts `train`, `validation` and `test`, as far as there are such. */
  readonly splits?: DataSplits<DataPart>;
  /** Another key draws other rows for the shares. Absent: an empty text. */
  readonly key?: string;
  /** The column that names the cluster of a row, for `about`. */
  readonly cluster?: string;
  /** Columns of labels, for `about`. */
  readonly labels?: readonly string[];
  /** The files of an earlier opening. Throws AG_DATA_CHANGED if one of them has changed, is missing, or is new. */
  readonly expected?: readonly DataFile[];
}

/** A file of a data set. It may be kept as JSON to open exactly the same rows later. */
export interface DataFile {
  /** Path relative to the folder; without a folder the name of the file. */
  readonly name: string;
  readonly part: string;
  readonly bytes: number;
  /** Of the whole content, 64 hexadecimal digits. */
  readonly sha256: string;
}

/** Something for each split. */
export interface DataSplits<Value> {
  readonly train?: Value;
  readonly validation?: Value;
  readonly test?: Value;
}

/** The rows of a split, as a `TaskSource`. */
export interface DataSplit {
  readonly count: number;
  /** The id of the row at a place, with 0 <= place < count. */
  id(place: number): string;
  /** The id of a row drawn at random. */
  random(random: Random): string;
}

/** Cluster and labels of a row, as `TaskFacts`. */
export interface DataLabels {
  readonly cluster?: string;
  readonly labels?: { readonly [column: string]: string | number };
}

/** An open data set. Its functions need no `this`. */
export interface DataSet<Columns extends DataColumns = DataColumns> {
  /** Number of rows, those of no split included. */
  readonly count: number;
  readonly files: readonly DataFile[];
  /** Pairwise disjoint, because `splitOf` is a function. A split without rows is absent. */
  readonly splits: DataSplits<DataSplit>;
  /** The split of a row; undefined if it is in none. Throws AG_DATA if no row has this id. */
  readonly splitOf: (id: string) => keyof DataSplits<unknown> | undefined;
  /** Rejects with AG_DATA if no row has this id, and with AG_DATA_CHANGED if the file has changed since it was opened. */
  readonly row: (id: string) => Promise<DataRow<Columns>>;
  /** Cluster and labels of a row; those whose value is null are absent. Rejects as `row` does. */
  readonly about: (id: string) => Promise<DataLabels>;
  /** Safe to call twice. */
  readonly close: () => Promise<void>;
}
