import { exponential, total } from './elementwise';

/**
 * Replaces the logits of each row by e^((logit - largest) * inverseTemperature).
 * @param sums float64 [rows], their sums, in double precision
 * @param logits [rows, stride / 4]; only the first `vocabulary` of each row are read
 */
export function softenRows(
  sums: usize,
  logits: usize,
  stride: usize,
  rows: i32,
  vocabulary: i32,
  inverseTemperature: f32,
): void {
  for (let row = 0; row < rows; row += 1) {
    const largest = load<f32>(logits + ((<usize>largestOf(logits, vocabulary)) << 2));
    store<f64>(sums, soften(logits, stride, vocabulary, largest, inverseTemperature));
    sums += 8;
    logits += stride;
  }
}

/**
 * Draws tokens by inverse CDF: the first token whose cumulative probability reaches the draw.
 * @param tokens int32 [count]; logprobs float32 [count], log-softmax(logits * inverseTemperature)
 * @param softened what `softenRows` left in place of the logits, and `sums`
 * @param lines int32 [count], the row of each draw
 * @param draws float64 [count] in (0, 1]
 */
export function drawTokens(
  tokens: usize,
  logprobs: usize,
  softened: usize,
  sums: usize,
  stride: usize,
  lines: usize,
  draws: usize,
  count: i32,
  vocabulary: i32,
): void {
  for (let index = 0; index < count; index += 1) {
    const line = <usize>load<i32>(lines);
    const row = softened + line * stride;
    const sum = load<f64>(sums + (line << 3));
    const threshold = load<f64>(draws) * sum;
    let cumulative: f64 = 0;
    let token = 0;
    let weight: f32 = 0;
    for (let at = 0; at < vocabulary; at += 1) {
      const next = load<f32>(row + ((<usize>at) << 2));
      // If rounding keeps the sum below the threshold, the last token with a probability above 0 is drawn.
      if (next == 0) continue;
      token = at;
      weight = next;
      cumulative += <f64>next;
      if (cumulative >= threshold) break;
    }
    store<i32>(tokens, token);
    store<f32>(logprobs, sum == sum ? <f32>(Math.log(<f64>weight) - Math.log(sum)) : f32.NaN);
    tokens += 4;
    logprobs += 4;
    lines += 4;
    draws += 8;
  }
}

/**
 * The token with the largest logit of each row (the first of equals) and its log-softmax. Replaces the logits as
 * `softenRows` does.
 * @param tokens int32 [rows]; logprobs float32 [rows]
 */
export function largestTokens(
  tokens: usize,
  logprobs: usize,
  logits: usize,
  stride: usize,
  rows: i32,
  vocabulary: i32,
): void {
  for (let row = 0; row < rows; row += 1) {
    const token = largestOf(logits, vocabulary);
    const sum = soften(logits, stride, vocabulary, load<f32>(logits + ((<usize>token) << 2)), 1);
    store<i32>(tokens, token);
    store<f32>(logprobs, <f32>-Math.log(sum));
    tokens += 4;
    logprobs += 4;
    logits += stride;
  }
}

function largestOf(logits: usize, vocabulary: i32): i32 {
  let token = 0;
  let largest = load<f32>(logits);
  for (let at = 1; at < vocabulary; at += 1) {
    const logit = load<f32>(logits + ((<usize>at) << 2));
    if (logit > largest) {
      largest = logit;
      token = at;
    }
  }
  return token;
}

/** Replaces logits by e^((logit - largest) * factor), and the padding after the vocabulary by 0. Returns the sum. */
function soften(logits: usize, stride: usize, vocabulary: i32, largest: f32, factor: f32): f64 {
  const from = f32x4.splat(largest);
  const by = f32x4.splat(factor);
  const end = logits + stride;
  for (let rest = logits + ((<usize>vocabulary) << 2); rest < end; rest += 4) store<f32>(rest, -Infinity);
  let sum: f64 = 0;
  for (let at = logits; at < end; at += 16) {
    const e = exponential(f32x4.mul(f32x4.sub(v128.load(at), from), by));
    v128.store(at, e);
    sum += <f64>total(e);
  }
  return sum;
}
