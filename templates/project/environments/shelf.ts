import type { Environment, OptionsDeclaration, OptionsOf, StepResult, TaskSource, World } from '@agentgym/cli';

// Edit here: the options.
export const options = {
  books: { type: 'integer', minimum: 3, maximum: 5, default: 4, description: 'Books on the shelf', axis: true },
  spare: { type: 'integer', minimum: 0, default: 1, description: 'Turns beyond the needed ones', axis: true },
} as const satisfies OptionsDeclaration;

type Options = OptionsOf<typeof options>;

/** Number of pairs in the wrong order. This is the number of swaps that are needed. */
const disorder = (shelf: readonly number[]): number =>
  shelf.reduce((pairs, book, i) => pairs + shelf.slice(i + 1).filter((right) => right < book).length, 0);

const numbersOf = (task: string): number[] => (/^[1-9]( [1-9])*$/.test(task) ? task.split(' ').map(Number) : []);

/**
 * Every shelf of different books from 1 to 9 that is not in order yet. The index in the list decides the split.
 */
function deal({ books }: Options): World['splits'] {
  let shelves: number[][] = [[]];
  for (let place = 0; place < books; place += 1) {
    const longer = (shelf: number[]) => [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((book) => !shelf.includes(book));
    shelves = shelves.flatMap((shelf) => longer(shelf).map((book) => [...shelf, book]));
  }
  const ids = shelves.filter((shelf) => disorder(shelf) > 0).map((shelf) => shelf.join(' '));
  const split = (...remainders: number[]): TaskSource => {
    const own = ids.filter((_, n) => remainders.includes(n % 5));
    return { count: own.length, id: (place) => own[place] as string, random: (random) => random.choice(own) };
  };
  return { train: split(0, 1, 2), validation: split(3), test: split(4) };
}

/** Put books in order by swapping neighbours. An action is the position of the left book, from 1. */
export function open(options: Options): World {
  return {
    // Edit here: the rules that the policy reads.
    instructions: 'Put the books in order. Name a place to swap the book there with the next.',
    splits: deal(options),
    // Edit here: the labels by which results are split.
    about: (task) => ({ labels: { swaps: disorder(numbersOf(task)) } }),
    experts: ['oracle', 'demonstrator'],
    create: () => newGame(options),
  };
}

function newGame({ books, spare }: Options): Environment {
  let shelf: number[] = [];
  let [turnsLeft, whole, least] = [0, 1, 1];
  /** Positions of books that are larger than the next book. */
  const wrong = () => shelf.flatMap((book, i) => (book > (shelf[i + 1] ?? Infinity) ? [String(i + 1)] : []));
  const view = () =>
    shelf.map((book, i) => (i === 0 ? book : `${book < (shelf[i - 1] ?? 0) ? '>' : '<'} ${book}`)).join(' ');
  const places = Array.from({ length: books - 1 }, (_, i) => String(i + 1));
  return {
    reset(task) {
      const numbers = numbersOf(task);
      if (numbers.length !== books || disorder(numbers) === 0) throw new Error(`no such task: ${task}`);
      shelf = numbers;
      whole = least = disorder(shelf);
      turnsLeft = whole + spare;
      return `You have ${turnsLeft} turns. ${view()}`;
    },
    step(action): StepResult {
      const invalid = !places.includes(action);
      const place = Number(action) - 1;
      if (!invalid) [shelf[place], shelf[place + 1]] = [shelf[place + 1] as number, shelf[place] as number];
      least = Math.min(least, disorder(shelf));
      turnsLeft -= 1;
      const success = disorder(shelf) === 0;
      return {
        observation: view(),
        reward: Number(success),
        terminated: success || turnsLeft <= 0,
        truncated: false,
        facts: { success, invalid, progress: 1 - least / whole },
      };
    },
    act(player, { random }) {
      if (!['random', 'oracle', 'demonstrator'].includes(player)) throw new Error(`there is no player ${player}`);
      // The demonstrator is a mediocre teacher: about half of its swaps are random.
      const blindly = player === 'random' || (player === 'demonstrator' && random.uniform() < 0.5);
      return random.choice(blindly ? places : wrong());
    },
    admissible: () => places,
    // What decides the future. `whole` and `least` only describe the way here.
    stateKey: () => JSON.stringify([shelf, turnsLeft]),
    snapshot: () => ({ shelf: [...shelf], turnsLeft, whole, least }),
    restore(state) {
      const saved = state as { shelf: number[]; turnsLeft: number; whole: number; least: number };
      [shelf, turnsLeft, whole, least] = [[...saved.shelf], saved.turnsLeft, saved.whole, saved.least];
    },
  };
}
