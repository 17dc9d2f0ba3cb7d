import { expect, it } from 'vitest';

import { meanwhile } from './meanwhile.js';

it('works while a promise is pending, and gives both results', async () => {
  const order: string[] = [];
  const pending = new Promise<number>((resolve) =>
    setImmediate(() => {
      order.push('settled');
      resolve(1);
    }),
  );
  expect(await meanwhile(pending, () => order.push('worked'))).toEqual([1, 1]);
  expect(order).toEqual(['worked', 'settled']);
});

// Goes red when the work's error leaves the promise without a handler: Node.js then ends the process.
it('throws the error of the work once the promise has settled, whatever that gives', async () => {
  let settled = false;
  const pending = new Promise<never>((_, reject) =>
    setImmediate(() => {
      settled = true;
      reject(new Error('the promise'));
    }),
  );
  const work = () => {
    throw new Error('the work');
  };
  await expect(meanwhile(pending, work)).rejects.toThrow('the work');
  expect(settled).toBe(true);
});
