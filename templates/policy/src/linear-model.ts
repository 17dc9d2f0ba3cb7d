/** The shape of a model; JSON. */
export interface LinearShape {
  readonly vocabularySize: number;
  /** Number of last tokens used. */
  readonly window: number;
  /** Whether the model also predicts a value. */
  readonly valueHead: boolean;
}

/** The model's output at one position of a sequence. */
export interface Prediction {
  /** [vocabularySize] log-softmax(logits / temperature). */
  readonly logprobs: Float64Array;
  /** Entropy of that distribution, in nats. */
  readonly entropy: number;
  /** 0 without a value head. */
  readonly value: number;
}

/**
 * A maximum-entropy model of the next token (Rosenfeld 1996): each of the last tokens adds a row of numbers to the
 * logits, chosen by the token and its distance. With a value head, each row has one more number, and these add up to
 * the value.
 *
 *   logits = sum over k < window of W[k, token at t - 1 - k]
 */
export class LinearModel {
  constructor(
    readonly shape: LinearShape,
    /** [window, vocabularySize, width] */
    readonly weights: Float64Array = new Float64Array(shape.window * shape.vocabularySize * widthOf(shape)),
  ) {}

  /** Start indices of the rows that predict the token at `t`. A sequence may be shorter than the window. */
  rows(tokens: ArrayLike<number>, t: number): readonly number[] {
    const { window, vocabularySize } = this.shape;
    const width = widthOf(this.shape);
    return Array.from(
      { length: Math.min(window, t) },
      (_, back) => (back * vocabularySize + (tokens[t - 1 - back] as number)) * width,
    );
  }

  logits(rows: readonly number[]): Float64Array {
    const logits = new Float64Array(this.shape.vocabularySize);
    for (const row of rows) {
      for (let id = 0; id < logits.length; id += 1) (logits[id] as number) += this.weights[row + id] as number;
    }
    return logits;
  }

  predict(rows: readonly number[], temperature: number): Prediction {
    const logprobs = logSoftmax(this.logits(rows), temperature);
    const { vocabularySize, valueHead } = this.shape;
    return {
      logprobs,
      entropy: -logprobs.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0),
      value: valueHead ? rows.reduce((sum, row) => sum + (this.weights[row + vocabularySize] as number), 0) : 0,
    };
  }

  /**
   * Adds the derivatives of a loss by the weights to `gradient`, given its derivatives by the log probability of
   * `token`, by the entropy and by the value:
   *
   *   d log p(token) / d logit = (1[id = token] - p) / T        d entropy / d logit = -p (log p + entropy) / T
   */
  differentiate(
    gradient: Float64Array,
    rows: readonly number[],
    { logprobs, entropy }: Prediction,
    at: { readonly token: number; readonly temperature: number },
    by: { readonly logprob: number; readonly entropy: number; readonly value: number },
  ): void {
    const { vocabularySize, valueHead } = this.shape;
    const byLogit = logprobs.map((logprob, id) => {
      const probability = Math.exp(logprob);
      const ofLogprob = (id === at.token ? 1 : 0) - probability;
      const ofEntropy = -probability * (logprob + entropy);
      return (by.logprob * ofLogprob + by.entropy * ofEntropy) / at.temperature;
    });
    for (const row of rows) {
      for (let id = 0; id < vocabularySize; id += 1) (gradient[row + id] as number) += byLogit[id] as number;
      if (valueHead) (gradient[row + vocabularySize] as number) += by.value;
    }
  }

  /** A copy that later steps do not change. */
  clone(): LinearModel {
    return new LinearModel(this.shape, this.weights.slice());
  }

  /** A model with the same logits and a value of 0 everywhere. */
  withValueHead(): LinearModel {
    if (this.shape.valueHead) return this;
    const other = new LinearModel({ ...this.shape, valueHead: true });
    const { vocabularySize, window } = this.shape;
    for (let row = 0; row < window * vocabularySize; row += 1) {
      const logits = this.weights.subarray(row * vocabularySize, (row + 1) * vocabularySize);
      other.weights.set(logits, row * (vocabularySize + 1));
    }
    return other;
  }
}

/** Numbers in a row. */
function widthOf({ vocabularySize, valueHead }: LinearShape): number {
  return vocabularySize + (valueHead ? 1 : 0);
}

function logSoftmax(logits: Float64Array, temperature: number): Float64Array {
  const scaled = logits.map((logit) => logit / temperature);
  const highest = scaled.reduce((a, b) => Math.max(a, b), -Infinity);
  const logTotal = highest + Math.log(scaled.reduce((sum, value) => sum + Math.exp(value - highest), 0));
  return scaled.map((value) => value - logTotal);
}
