/** A number is hidden from `low` to `high`; answers are `higher` or `lower`, and what is still possible. */
export class Game {
  constructor({ low, high, seed }) {
    const count = high - low + 1;
    this.lowest = this.low = low;
    this.highest = this.high = high;
    // Whole numbers alone: the same on every machine and in every language.
    this.secret = low + (seed % count);
    this.turns = Math.ceil(Math.log2(count + 1));
    this.text = `Guess my number from ${low} to ${high}. ${this.turns} turns.`;
  }

  guess(text) {
    const number = /^\d{1,3}$/.test(text) ? Number(text) : -1;
    this.invalid = number < this.lowest || number > this.highest;
    this.success = number === this.secret;
    this.turns -= 1;
    if (this.success) {
      this.text = 'correct';
    } else if (this.invalid) {
      this.text = 'invalid';
    } else {
      if (number < this.secret) this.low = Math.max(this.low, number + 1);
      else this.high = Math.min(this.high, number - 1);
      this.text = `${number < this.secret ? 'higher' : 'lower'}, ${this.low} to ${this.high}`;
    }
    return this;
  }

  toJSON() {
    const { text, low, high, success = false, invalid = false, turns } = this;
    return { observation: text, low, high, success, invalid, over: success || turns <= 0 };
  }
}
