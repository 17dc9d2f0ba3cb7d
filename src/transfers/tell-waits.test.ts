import { expect, it } from 'vitest';

import { boundedFetch } from './bounded-fetch.js';
import { startHostileServer } from './fixtures/hostile-server.js';
import { tellWaits } from './tell-waits.js';

it('tells the user of a long wait once, and not of a short one', async () => {
  const server = await startHostileServer((request, response) => {
    const [status, seconds] = (request.url ?? '').slice(1).split('-');
    response.writeHead(Number(status), { 'retry-after': seconds }).end();
  });
  const told: string[] = [];
  const fetch = tellWaits(boundedFetch, (message) => told.push(message));
  for (const path of ['429-5', '200-9000', '404-9000', '503-86400', '429-86400']) await fetch(`${server.url}/${path}`);
  expect(told).toEqual([
    `127.0.0.1:${server.port} is busy (status 503), and asks to wait 60 s or longer. A request waits at most 60 s before it is repeated.`,
  ]);
});
