// The texts of guess-number, for a fixed number of turns: after a correct guess, a new number of the same interval
// follows. The time of an answer is log-normal and drawn from the episode's own stream, so other episodes do not change
// it.
import { setTimeout as sleep } from 'node:timers/promises';

const highest = 50;
const [narrowest, widest] = [20, 31];
const intervals = [];
for (let width = narrowest; width <= widest; width += 1) {
  for (let low = 1; low + width - 1 <= highest; low += 1) intervals.push([low, low + width - 1]);
}
const nameOf = ([low, high]) => `${low}-${high}`;

/** Every third interval, starting at `first`. */
function source(first) {
  const own = intervals.filter((_, index) => index % 3 === first).map(nameOf);
  return { count: own.length, id: (place) => own[place], random: (random) => random.choice(own) };
}

export function open({ turns, delay, sigma }) {
  return {
    instructions: '',
    splits: { train: source(0), validation: source(1), test: source(2) },
    experts: ['demonstrator'],
    maxTurns: turns,
    create() {
      let stream, low, high, secret, possible, turn;
      const hide = () => {
        secret = stream.integer(low, high + 1);
        possible = [low, high];
      };
      const answer = (guess) => {
        if (!(guess >= low && guess <= high)) return 'invalid';
        if (guess === secret) {
          hide();
          return 'correct';
        }
        if (guess < secret) possible[0] = Math.max(possible[0], guess + 1);
        else possible[1] = Math.min(possible[1], guess - 1);
        return `${guess < secret ? 'higher' : 'lower'}, ${possible[0]} to ${possible[1]}`;
      };
      return {
        reset(task, { random }) {
          if (!intervals.some((interval) => nameOf(interval) === task)) throw new Error(`no such task: ${task}`);
          [low, high] = task.split('-').map(Number);
          stream = random;
          turn = 0;
          hide();
          return `Guess my number between ${low} and ${high}. You have ${turns} turns.`;
        },
        step(action) {
          turn += 1;
          const observation = answer(/^\d{1,3}$/.test(action) ? Number(action) : Number.NaN);
          const milliseconds = delay === 0 ? 0 : wholeDelay(stream.stream('delay', turn), delay, sigma);
          const success = observation === 'correct';
          const invalid = observation === 'invalid';
          const result = {
            observation,
            reward: Number(success),
            terminated: turn === turns,
            truncated: false,
            facts: { success, invalid, details: { milliseconds } },
          };
          return milliseconds === 0 ? result : sleep(milliseconds, result);
        },
        act: (player, { random }) =>
          String(player === 'random' ? random.integer(low, high + 1) : random.integer(possible[0], possible[1] + 1)),
      };
    },
  };
}

/** A draw from the log-normal distribution with this mean. Timers use whole milliseconds, at least one. */
function wholeDelay(random, mean, sigma) {
  return Math.max(1, Math.round(mean * Math.exp(sigma * random.normal() - sigma ** 2 / 2)));
}
