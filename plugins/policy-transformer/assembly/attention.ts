import { exponential, total } from './elementwise';

/** Positions of a page. */
const PAGE: i32 = 16;

let heads: i32 = 0;
let keyValueHeads: i32 = 0;
let headWidth: i32 = 0;
/** Tables of rotary angles, [positions, headWidth / 2]. */
let cosines: usize = 0;
let sines: usize = 0;
/** Room for the scores of one query. */
let scores: usize = 0;

/** Sets the sizes and tables for all later calls. `headWidth` must be a multiple of 8. */
export function configureAttention(
  headCount: i32,
  keyValueHeadCount: i32,
  width: i32,
  cosineTable: usize,
  sineTable: usize,
  scoreRoom: usize,
): void {
  heads = headCount;
  keyValueHeads = keyValueHeadCount;
  headWidth = width;
  cosines = cosineTable;
  sines = sineTable;
  scores = scoreRoom;
}

/**
 * Rotates queries and keys by their positions, scales queries, and writes keys and values to the pages of their
 * sequences.
 * @param projected [rows, (heads + 2 * keyValueHeads) * headWidth]; queries are changed in place
 * @param positions int32 [rows]
 * @param tables for each row, the address of the page table of its sequence; entry i is the address of the page with
 * positions 16 i to 16 i + 15
 * @param offset of the layer in a page: first keys as [keyValueHeads, headWidth, 16], then values as
 * [keyValueHeads, 16, headWidth]
 */
export function rememberRows(projected: usize, positions: usize, tables: usize, offset: usize, rows: i32): void {
  const half = headWidth >> 1;
  const headBytes: usize = (<usize>headWidth) << 2;
  const pageHead = headBytes * <usize>PAGE;
  const scale: f32 = <f32>1 / Mathf.sqrt(<f32>headWidth);
  for (let row = 0; row < rows; row += 1) {
    const position = load<i32>(positions);
    const cos = cosines + (<usize>(position * half) << 2);
    const sin = sines + (<usize>(position * half) << 2);
    for (let head = 0; head < heads; head += 1) {
      turn(projected, cos, sin, half, scale);
      projected += headBytes;
    }
    const place = position % PAGE;
    const page = <usize>load<i32>(<usize>load<i32>(tables) + (<usize>(position / PAGE) << 2)) + offset;
    for (let head = 0; head < keyValueHeads; head += 1) {
      turn(projected, cos, sin, half, 1);
      let out = page + <usize>head * pageHead + (<usize>place << 2);
      for (let i: usize = 0; i < headBytes; i += 4) {
        store<f32>(out, load<f32>(projected + i));
        out += <usize>PAGE << 2;
      }
      projected += headBytes;
    }
    const values = page + <usize>keyValueHeads * pageHead;
    for (let head = 0; head < keyValueHeads; head += 1) {
      memory.copy(values + <usize>head * pageHead + <usize>place * headBytes, projected, headBytes);
      projected += headBytes;
    }
    positions += 4;
    tables += 4;
  }
}

/**
 * Rotates the pairs (i, i + half) of a head and multiplies them by a factor (Su et al. 2021, in the order of Hugging
 * Face's checkpoints).
 */
// @ts-ignore: decorators of functions are AssemblyScript's
@inline
function turn(head: usize, cos: usize, sin: usize, half: i32, factor: f32): void {
  const other: usize = (<usize>half) << 2;
  const by = f32x4.splat(factor);
  for (let i: usize = 0; i < other; i += 16) {
    const x = v128.load(head + i);
    const y = v128.load(head + other + i);
    const c = f32x4.mul(v128.load(cos + i), by);
    const s = f32x4.mul(v128.load(sin + i), by);
    v128.store(head + i, f32x4.sub(f32x4.mul(x, c), f32x4.mul(y, s)));
    v128.store(head + other + i, f32x4.add(f32x4.mul(y, c), f32x4.mul(x, s)));
  }
}

/**
 * Attention of each row over its sequence up to its own position.
 * @param target [rows, heads * headWidth]
 * @param queries rows that `rememberRows` changed, `stride` bytes apart; the other parameters are as in `rememberRows`
 */
export function attend(
  target: usize,
  queries: usize,
  stride: usize,
  positions: usize,
  tables: usize,
  offset: usize,
  rows: i32,
): void {
  const headBytes: usize = (<usize>headWidth) << 2;
  const pageHead = headBytes * <usize>PAGE;
  const group = heads / keyValueHeads;
  const valuesOffset = offset + <usize>keyValueHeads * pageHead;
  for (let row = 0; row < rows; row += 1) {
    const count = load<i32>(positions) + 1;
    const table = <usize>load<i32>(tables);
    for (let head = 0; head < heads; head += 1) {
      const pageOffset = <usize>(head / group) * pageHead;
      const sum = share(queries + <usize>head * headBytes, table, offset + pageOffset, count, headBytes);
      mix(target, table, valuesOffset + pageOffset, count, headBytes, <f32>1 / sum);
      target += headBytes;
    }
    queries += stride;
    positions += 4;
    tables += 4;
  }
}

/** Writes e^(score - largest) of all positions to `scores`. Returns their sum. */
function share(query: usize, table: usize, offset: usize, count: i32, headBytes: usize): f32 {
  const pages = (count + PAGE - 1) / PAGE;
  let out = scores;
  for (let page = 0; page < pages; page += 1) {
    let keys = <usize>load<i32>(table) + offset;
    table += 4;
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    for (let i: usize = 0; i < headBytes; i += 4) {
      const x = v128.load32_splat(query + i);
      s0 = f32x4.add(s0, f32x4.mul(x, v128.load(keys)));
      s1 = f32x4.add(s1, f32x4.mul(x, v128.load(keys, 16)));
      s2 = f32x4.add(s2, f32x4.mul(x, v128.load(keys, 32)));
      s3 = f32x4.add(s3, f32x4.mul(x, v128.load(keys, 48)));
      keys += <usize>PAGE << 2;
    }
    v128.store(out, s0);
    v128.store(out, s1, 16);
    v128.store(out, s2, 32);
    v128.store(out, s3, 48);
    out += <usize>PAGE << 2;
  }
  const end = scores + (<usize>(pages * PAGE) << 2);
  for (let rest = scores + (<usize>count << 2); rest < end; rest += 4) store<f32>(rest, -Infinity);
  let most = v128.load(scores);
  for (let at = scores + 16; at < end; at += 16) most = f32x4.pmax(most, v128.load(at));
  const largest = f32x4.splat(
    max(
      max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1)),
      max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)),
    ),
  );
  let sum = f32x4.splat(0);
  for (let at = scores; at < end; at += 16) {
    const e = exponential(f32x4.sub(v128.load(at), largest));
    v128.store(at, e);
    sum = f32x4.add(sum, e);
  }
  return total(sum);
}

/** target = factor * sum over positions of scores[p] * value[p]. */
function mix(target: usize, table: usize, offset: usize, count: i32, headBytes: usize, factor: f32): void {
  const by = f32x4.splat(factor);
  let part: usize = 0;
  for (; part + 64 <= headBytes; part += 64) {
    let c0 = f32x4.splat(0);
    let c1 = c0;
    let c2 = c0;
    let c3 = c0;
    let value: usize = 0;
    for (let position = 0; position < count; position += 1) {
      if (position % PAGE == 0) value = pageOf(table, position) + offset + part;
      const x = v128.load32_splat(scores + (<usize>position << 2));
      c0 = f32x4.add(c0, f32x4.mul(x, v128.load(value)));
      c1 = f32x4.add(c1, f32x4.mul(x, v128.load(value, 16)));
      c2 = f32x4.add(c2, f32x4.mul(x, v128.load(value, 32)));
      c3 = f32x4.add(c3, f32x4.mul(x, v128.load(value, 48)));
      value += headBytes;
    }
    v128.store(target + part, f32x4.mul(c0, by));
    v128.store(target + part, f32x4.mul(c1, by), 16);
    v128.store(target + part, f32x4.mul(c2, by), 32);
    v128.store(target + part, f32x4.mul(c3, by), 48);
  }
  for (; part < headBytes; part += 32) {
    let c0 = f32x4.splat(0);
    let c1 = c0;
    let value: usize = 0;
    for (let position = 0; position < count; position += 1) {
      if (position % PAGE == 0) value = pageOf(table, position) + offset + part;
      const x = v128.load32_splat(scores + (<usize>position << 2));
      c0 = f32x4.add(c0, f32x4.mul(x, v128.load(value)));
      c1 = f32x4.add(c1, f32x4.mul(x, v128.load(value, 16)));
      value += headBytes;
    }
    v128.store(target + part, f32x4.mul(c0, by));
    v128.store(target + part, f32x4.mul(c1, by), 16);
  }
}

// @ts-ignore: decorators of functions are AssemblyScript's
@inline
function pageOf(table: usize, position: i32): usize {
  return <usize>load<i32>(table + (<usize>(position / PAGE) << 2));
}
