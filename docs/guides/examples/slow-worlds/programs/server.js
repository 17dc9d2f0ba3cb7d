// node server.js [--port 8765] [--capacity 5] [--idle 60]: plays games for its clients. Each game is leased; a lease that
// is idle for so many seconds runs out.
//   POST /lease {low, high, seed}       -> 201 {lease, position}, or 429 if all games are taken
//   POST /lease/LEASE/step {guess}      -> 200 {lease, position}, or 410 if the lease has run out
//   DELETE /lease/LEASE                 -> 200 {}
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { clearTimeout, setTimeout } from 'node:timers';
import { parseArgs } from 'node:util';

import { Game } from './game.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8765' },
    capacity: { type: 'string', default: '5' },
    idle: { type: 'string', default: '60' },
  },
});
const leases = new Map();

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request).catch((error) => [400, { error: String(error) }]);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
server.listen(Number(values.port), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});

async function answer(request) {
  const [, , lease = '', step] = request.url.split('/');
  const held = leases.get(lease);
  if (request.method === 'GET') return [200, { capacity: Number(values.capacity), leased: leases.size }];
  if (request.method === 'DELETE') return release(lease);
  const body = await json(request);
  if (lease === '') return grant(new Game(body));
  if (held === undefined || step !== 'step') return [410, { error: `the lease has run out after ${values.idle} s` }];
  held.timer.refresh();
  return [200, { lease, position: held.game.guess(body.guess) }];
}

function grant(game) {
  if (leases.size >= Number(values.capacity)) return [429, { error: 'all games are taken' }];
  const lease = randomUUID();
  leases.set(lease, { game, timer: setTimeout(release, 1000 * Number(values.idle), lease) });
  return [201, { lease, position: game }];
}

function release(lease) {
  clearTimeout(leases.get(lease)?.timer);
  leases.delete(lease);
  return [200, {}];
}
