import type { StepResult, World } from '@agentgym/cli';

const items = ['apple', 'pear'];
const item = { type: 'string', enum: items };
const ofItem = { type: 'object', properties: { item }, required: ['item'] };

/** What a task asks for, and whether this is low for the apple or for the pear. */
const taskOf = (task: string) => ({
  asked: Number(task) % 2 === 0 ? 'price' : 'weight',
  low: Math.floor(Number(task) / 10) % 2,
});

export function open(): World {
  const split = (remainder: number) => ({ count: 400, id: (place: number) => String(5 * place + remainder) });
  return {
    instructions: 'You are at a market. Ask for both items, then buy one.',
    splits: { train: split(0), validation: split(1), test: split(2) },
    experts: ['oracle'],
    tools: [
      { name: 'price', description: 'The price of an item.', parameters: ofItem },
      { name: 'weight', description: 'The weight of an item.', parameters: ofItem },
    ],
    actions: [
      { name: 'buy', description: 'Buys an item.', parameters: ofItem },
      { name: 'leave', description: 'Goes home.', parameters: { type: 'object', properties: {} } },
    ],
    create() {
      let task = taskOf('0');
      const best = () => items[task.low]!;
      return {
        reset(id) {
          if (!/^\d{1,4}$/.test(id)) throw new Error(`no such task: ${id}`);
          task = taskOf(id);
          return `Which has the lower ${task.asked}?`;
        },
        // The arguments fit `parameters`. An answer with `failed` tells the agent of a mistake.
        call: (name, { item: of }) => ({ output: (of === best()) === (name === task.asked) ? 'low' : 'high' }),
        step(action): StepResult {
          const { name = '', arguments: values = {} } = read(action);
          const success = name === 'buy' && values['item'] === best();
          const invalid = name !== 'leave' && !(name === 'buy' && items.includes(values['item'] as string));
          const facts = { success, invalid };
          return { observation: 'Thank you.', reward: Number(success), terminated: !invalid, truncated: false, facts };
        },
        act: (player, { random }) =>
          JSON.stringify({
            name: 'buy',
            arguments: { item: player === 'oracle' ? best() : items[random.integer(0, 2)]! },
          }),
      };
    },
  };
}

/** The call that an action is. A policy may write anything. */
function read(action: string): { readonly name?: string; readonly arguments?: { readonly [name: string]: unknown } } {
  try {
    return (JSON.parse(action) as ReturnType<typeof read> | null) ?? {};
  } catch {
    return {};
  }
}
