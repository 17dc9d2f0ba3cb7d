import { LOG2_E, powerOfTwo, total } from './elementwise';

/** Positions of a page. */
const PAGE: i32 = 16;

let heads: i32 = 0;
let keyValueHeads: i32 = 0;
let headWidth: i32 = 0;
/** Tables of rotary angles, [positions, headWidth / 2]. */
let cosines: usize = 0;
let sines: usize = 0;
/** Room for the scores of one query, and for those of a second one. */
let scores: usize = 0;
let moreScores: usize = 0;

/**
 * Sets the sizes and tables for all later calls. `headWidth` must be a multiple of 8. The two rooms have a number for
 * every position of the longest sequence, up to the end of its last page.
 */
export function configureAttention(
  headCount: i32,
  keyValueHeadCount: i32,
  width: i32,
  cosineTable: usize,
  sineTable: usize,
  scoreRoom: usize,
  secondScoreRoom: usize,
): void {
  heads = headCount;
  keyValueHeads = keyValueHeadCount;
  headWidth = width;
  cosines = cosineTable;
  sines = sineTable;
  scores = scoreRoom;
  moreScores = secondScoreRoom;
}

/**
 * Rotates queries and keys by their positions, scales queries so that 2^score is the weight of a key, and writes keys
 * and values to the pages of their sequences.
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
  const scale: f32 = LOG2_E / Mathf.sqrt(<f32>headWidth);
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
 * Attention of each row over its sequence up to its own position. Two rows at consecutive positions of a sequence are
 * computed together, which reads its keys and values once for both; each adds in the same order as by itself.
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
  const targetBytes: usize = <usize>heads * headBytes;
  const pageHead = headBytes * <usize>PAGE;
  const group = heads / keyValueHeads;
  const valuesOffset = offset + <usize>keyValueHeads * pageHead;
  let row = 0;
  while (row < rows) {
    const count = load<i32>(positions) + 1;
    const table = <usize>load<i32>(tables);
    const isPair =
      row + 1 < rows && load<i32>(tables, 4) == load<i32>(tables) && load<i32>(positions, 4) == load<i32>(positions) + 1;
    for (let head = 0; head < heads; head += 1) {
      const pageOffset = <usize>(head / group) * pageHead;
      const query = queries + <usize>head * headBytes;
      const to = target + <usize>head * headBytes;
      const keys = offset + pageOffset;
      const values = valuesOffset + pageOffset;
      if (isPair) {
        scoreTwo(query, query + stride, table, keys, count + 1, headBytes);
        const sum = powers(scores, count);
        const secondSum = powers(moreScores, count + 1);
        mixTwo(to, to + targetBytes, table, values, count, headBytes, <f32>1 / sum, <f32>1 / secondSum);
      } else {
        score(query, table, keys, count, headBytes);
        const sum = powers(scores, count);
        mix(to, table, values, count, headBytes, <f32>1 / sum);
      }
    }
    const done = isPair ? 2 : 1;
    target += targetBytes * <usize>done;
    queries += stride * <usize>done;
    positions += <usize>done << 2;
    tables += <usize>done << 2;
    row += done;
  }
}

/** Writes the products of a query and all keys up to the end of their last page to `scores`. */
function score(query: usize, table: usize, offset: usize, count: i32, headBytes: usize): void {
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
}

/** `score` of two queries at a time, to `scores` and `moreScores`. */
function scoreTwo(query: usize, second: usize, table: usize, offset: usize, count: i32, headBytes: usize): void {
  const pages = (count + PAGE - 1) / PAGE;
  let out: usize = 0;
  for (let page = 0; page < pages; page += 1) {
    let keys = <usize>load<i32>(table) + offset;
    table += 4;
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let t0 = s0;
    let t1 = s0;
    let t2 = s0;
    let t3 = s0;
    for (let i: usize = 0; i < headBytes; i += 4) {
      const x = v128.load32_splat(query + i);
      const y = v128.load32_splat(second + i);
      const k0 = v128.load(keys);
      const k1 = v128.load(keys, 16);
      const k2 = v128.load(keys, 32);
      const k3 = v128.load(keys, 48);
      s0 = f32x4.add(s0, f32x4.mul(x, k0));
      s1 = f32x4.add(s1, f32x4.mul(x, k1));
      s2 = f32x4.add(s2, f32x4.mul(x, k2));
      s3 = f32x4.add(s3, f32x4.mul(x, k3));
      t0 = f32x4.add(t0, f32x4.mul(y, k0));
      t1 = f32x4.add(t1, f32x4.mul(y, k1));
      t2 = f32x4.add(t2, f32x4.mul(y, k2));
      t3 = f32x4.add(t3, f32x4.mul(y, k3));
      keys += <usize>PAGE << 2;
    }
    v128.store(scores + out, s0);
    v128.store(scores + out, s1, 16);
    v128.store(scores + out, s2, 32);
    v128.store(scores + out, s3, 48);
    v128.store(moreScores + out, t0);
    v128.store(moreScores + out, t1, 16);
    v128.store(moreScores + out, t2, 32);
    v128.store(moreScores + out, t3, 48);
    out += <usize>PAGE << 2;
  }
}

/**
 * Replaces each of the first `count` scores by 2^(score - largest), and the rest of the page by almost nothing. Returns
 * their sum.
 */
function powers(room: usize, count: i32): f32 {
  const end = room + (<usize>(((count + PAGE - 1) / PAGE) * PAGE) << 2);
  for (let rest = room + (<usize>count << 2); rest < end; rest += 4) store<f32>(rest, -Infinity);
  let most = v128.load(room);
  for (let at = room + 16; at < end; at += 16) most = f32x4.pmax(most, v128.load(at));
  const largest = f32x4.splat(
    max(
      max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1)),
      max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)),
    ),
  );
  let sum = f32x4.splat(0);
  // A page at a time: the four powers do not wait for each other.
  for (let at = room; at < end; at += <usize>PAGE << 2) {
    const e0 = powerOfTwo(f32x4.sub(v128.load(at), largest));
    const e1 = powerOfTwo(f32x4.sub(v128.load(at, 16), largest));
    const e2 = powerOfTwo(f32x4.sub(v128.load(at, 32), largest));
    const e3 = powerOfTwo(f32x4.sub(v128.load(at, 48), largest));
    v128.store(at, e0);
    v128.store(at, e1, 16);
    v128.store(at, e2, 32);
    v128.store(at, e3, 48);
    sum = f32x4.add(sum, f32x4.add(f32x4.add(e0, e1), f32x4.add(e2, e3)));
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
  mixRest(target, scores, table, offset, count, headBytes, part, by);
}

/** The same for the numbers of a head from byte `part` on, with the weights in `room`. */
function mixRest(
  target: usize,
  room: usize,
  table: usize,
  offset: usize,
  count: i32,
  headBytes: usize,
  part: usize,
  by: v128,
): void {
  for (; part < headBytes; part += 32) {
    let c0 = f32x4.splat(0);
    let c1 = c0;
    let value: usize = 0;
    for (let position = 0; position < count; position += 1) {
      if (position % PAGE == 0) value = pageOf(table, position) + offset + part;
      const x = v128.load32_splat(room + (<usize>position << 2));
      c0 = f32x4.add(c0, f32x4.mul(x, v128.load(value)));
      c1 = f32x4.add(c1, f32x4.mul(x, v128.load(value, 16)));
      value += headBytes;
    }
    v128.store(target + part, f32x4.mul(c0, by));
    v128.store(target + part, f32x4.mul(c1, by), 16);
  }
}

/** `mix` of two queries at a time, with `scores` and `moreScores`. The second one sees one position more. */
function mixTwo(
  target: usize,
  second: usize,
  table: usize,
  offset: usize,
  count: i32,
  headBytes: usize,
  factor: f32,
  secondFactor: f32,
): void {
  const by = f32x4.splat(factor);
  const secondBy = f32x4.splat(secondFactor);
  const last = pageOf(table, count) + offset + <usize>(count % PAGE) * headBytes;
  const lastScore = v128.load32_splat(moreScores + (<usize>count << 2));
  let part: usize = 0;
  for (; part + 64 <= headBytes; part += 64) {
    let c0 = f32x4.splat(0);
    let c1 = c0;
    let c2 = c0;
    let c3 = c0;
    let d0 = c0;
    let d1 = c0;
    let d2 = c0;
    let d3 = c0;
    let value: usize = 0;
    for (let position = 0; position < count; position += 1) {
      if (position % PAGE == 0) value = pageOf(table, position) + offset + part;
      const x = v128.load32_splat(scores + (<usize>position << 2));
      const y = v128.load32_splat(moreScores + (<usize>position << 2));
      const v0 = v128.load(value);
      const v1 = v128.load(value, 16);
      const v2 = v128.load(value, 32);
      const v3 = v128.load(value, 48);
      c0 = f32x4.add(c0, f32x4.mul(x, v0));
      c1 = f32x4.add(c1, f32x4.mul(x, v1));
      c2 = f32x4.add(c2, f32x4.mul(x, v2));
      c3 = f32x4.add(c3, f32x4.mul(x, v3));
      d0 = f32x4.add(d0, f32x4.mul(y, v0));
      d1 = f32x4.add(d1, f32x4.mul(y, v1));
      d2 = f32x4.add(d2, f32x4.mul(y, v2));
      d3 = f32x4.add(d3, f32x4.mul(y, v3));
      value += headBytes;
    }
    d0 = f32x4.add(d0, f32x4.mul(lastScore, v128.load(last + part)));
    d1 = f32x4.add(d1, f32x4.mul(lastScore, v128.load(last + part, 16)));
    d2 = f32x4.add(d2, f32x4.mul(lastScore, v128.load(last + part, 32)));
    d3 = f32x4.add(d3, f32x4.mul(lastScore, v128.load(last + part, 48)));
    v128.store(target + part, f32x4.mul(c0, by));
    v128.store(target + part, f32x4.mul(c1, by), 16);
    v128.store(target + part, f32x4.mul(c2, by), 32);
    v128.store(target + part, f32x4.mul(c3, by), 48);
    v128.store(second + part, f32x4.mul(d0, secondBy));
    v128.store(second + part, f32x4.mul(d1, secondBy), 16);
    v128.store(second + part, f32x4.mul(d2, secondBy), 32);
    v128.store(second + part, f32x4.mul(d3, secondBy), 48);
  }
  mixRest(target, scores, table, offset, count, headBytes, part, by);
  mixRest(second, moreScores, table, offset, count + 1, headBytes, part, secondBy);
}

// @ts-ignore: decorators of functions are AssemblyScript's
@inline
function pageOf(table: usize, position: i32): usize {
  return <usize>load<i32>(table + (<usize>(position / PAGE) << 2));
}
